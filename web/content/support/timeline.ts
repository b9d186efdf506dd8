import type { LookupKind, SupportMatch } from '../../../schema/api/support.ts'
import type { TraceItem, TraceItemKind } from '../../../schema/api/support-timeline.ts'
import { acts } from './acts.ts'
import { credits } from './credits.ts'
import { events } from './events.ts'
import { payments } from './payments.ts'
import { seats } from './seats.ts'
import { capitalized, type ItemText, type TextContext, type Words } from './words.ts'

const words: { readonly [Kind in TraceItemKind]: Words<Kind> } = {
  ...payments,
  ...events,
  ...credits,
  ...seats,
  ...acts,
}
const kindsIn = (group: object) => Object.keys(group) as TraceItemKind[]

/** The kinds of items, in groups that people have names for. */
export const groups: readonly { readonly name: string; readonly kinds: readonly TraceItemKind[] }[] = [
  { name: 'Payments', kinds: kindsIn(payments) },
  { name: 'Events', kinds: kindsIn(events) },
  { name: 'Credits', kinds: kindsIn(credits) },
  { name: 'Seats', kinds: kindsIn(seats) },
  { name: 'Support acts', kinds: kindsIn(acts) },
]

export function describeItem(item: TraceItem, context: TextContext): ItemText {
  return (words[item.kind] as Words<TraceItemKind>).describe(item, context)
}

const otherNames: Readonly<Record<Exclude<LookupKind, TraceItemKind>, string>> = {
  email: 'Email address',
  name: 'Name',
  user: 'User',
  organization: 'Organization',
  customer: 'Stripe customer',
  invoice_number: 'Invoice number',
  card_payment: 'Card payment',
  payment_intent: 'Payment',
  refund: 'Refund',
  dispute: 'Dispute',
  grant: 'Grant',
  job: 'Job',
}

export function kindName(kind: LookupKind): string {
  return kind in words ? words[kind as TraceItemKind].name : otherNames[kind as keyof typeof otherNames]
}

/** What a search found: the title of an item, or the name of a customer. */
export function titleOf(match: SupportMatch, context: TextContext): string {
  const { kind, item, name, held, owner } = match
  const text = item && describeItem(item, context).title
  if (kind === 'job') return `${match.is_finished ? 'Finished job' : 'Job'}: ${text}`
  if (text && (kind === item.kind || kind === 'grant')) return text
  if (kind === 'customer' && owner) return 'Customer of Stripe’s'
  if (kind !== 'user' && kind !== 'organization') return `${capitalized(kind.replaceAll('_', ' '))} at Stripe`
  if (!held) return name ?? (kind === 'user' ? 'Person' : 'Organization')
  const how = `${held.via} of ${held.label}`
  return name === null ? capitalized(how) : `${name}: ${how}`
}
