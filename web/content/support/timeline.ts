import type { SupportMatch, TraceItem } from '../../../schema/api/support.ts'
import { acts } from './acts.ts'
import { credits } from './credits.ts'
import { events } from './events.ts'
import { reasonText } from './failures.ts'
import { mails } from './mails.ts'
import { payments } from './payments.ts'
import { seats } from './seats.ts'
import { capitalized, dataOf, type ItemText, type Notice, type TextContext, type Words } from './words.ts'

/** The kinds of items, in groups that people have names for. */
export const groups: readonly { readonly name: string; readonly kinds: readonly Words<unknown>[] }[] = [
  { name: 'Payments', kinds: payments },
  { name: 'Events', kinds: events },
  { name: 'Credits', kinds: credits },
  { name: 'Seats', kinds: seats },
  { name: 'E-mails', kinds: mails },
  { name: 'Support acts', kinds: acts },
]
const words = new Map(groups.flatMap(({ kinds }) => kinds.map((one) => [one.kind, one] as const)))

/** Null for an item of an unknown kind or form, which another version of the server sent. */
function known(item: TraceItem) {
  const its = words.get(item.kind)
  const data = its && dataOf(its, item)
  return its && data ? { words: its, item: { ...item, data } } : null
}

/** What is not known is shown by its kind and id. */
export function describeItem(item: TraceItem, context: TextContext): ItemText {
  const found = known(item)
  if (found) {
    const text = found.words.describe(found.item, context)
    return { ...text, error: reasonText(text.error ?? null) }
  }
  return { title: `${kindName(item.kind)} ${item.id}`, level: 'waiting', error: unknownForm }
}

/** What an item explains about a complaint, beside all items that may. */
export function describeNotices(item: TraceItem, all: readonly TraceItem[]): Notice[] {
  const found = known(item)
  return found?.words.notices?.(found.item, all) ?? []
}

export const unknownForm = 'This version of the page cannot show it. Reload the page.'

const otherNames: Readonly<Record<string, string>> = {
  email: 'Email address',
  customer: 'Stripe customer',
  payment_intent: 'Payment',
}

/** Of an item, or of what a search recognized. */
export function kindName(kind: string): string {
  return words.get(kind)?.name ?? otherNames[kind] ?? capitalized(kind.replaceAll('_', ' '))
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
