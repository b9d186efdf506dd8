import type { SupportOwner, WorkKind, WorkState } from '../../../schema/api/support.ts'
import type { ActState, AuditOutcome } from '../../../schema/api/support-acts.ts'
import type { Money, SupportLevel } from '../../content/support/words.ts'
import { readerLocales } from '../../reader.ts'
import { formatCreditChange, formatDate, formatMoney } from '../format.ts'

export const workKindNames: Readonly<Record<WorkKind, string>> = {
  event: 'Events',
  intent: 'Checkouts',
  subscription: 'Subscriptions',
  invitation: 'Invitations',
}

export const workStateNames: Readonly<Record<WorkState, string>> = {
  failed: 'Failed',
  stuck: 'Stuck',
  ignored: 'Ignored',
}

export type Tone = 'neutral' | 'accent' | 'positive' | 'caution' | 'critical'

export const levelTones: Readonly<Record<SupportLevel, Tone>> = {
  done: 'positive',
  waiting: 'caution',
  problem: 'critical',
  ignored: 'neutral',
}

export const actStates: Readonly<Record<ActState, readonly [Tone, string]>> = {
  waiting_for_approval: ['caution', 'Needs a second person'],
  queued: ['accent', 'Under way'],
  done: ['positive', 'Done'],
  failed: ['critical', 'Failed'],
  refused: ['neutral', 'Refused'],
  cancelled: ['neutral', 'Cancelled'],
}

export const auditOutcomes: Readonly<Record<AuditOutcome, readonly [Tone, string]>> = {
  requested: ['accent', 'Asked for'],
  approved: ['accent', 'Approved'],
  refused: ['caution', 'Refused'],
  cancelled: ['neutral', 'Cancelled'],
  denied: ['critical', 'No access'],
  done: ['positive', 'Done'],
  failed: ['critical', 'Failed'],
}

export function ownerTitle({ label, id }: Pick<SupportOwner, 'label' | 'id'>): string {
  return label ?? id
}

/** A name of the system's as people read it: `past_due` is “Past due”. */
export function sentenceCase(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${new Intl.NumberFormat(readerLocales).format(count)} ${count === 1 ? one : many}`
}

/** Up to which day comparisons found no difference, in the same words wherever it stands. */
export function provenText(provenDay: string | null): string {
  return provenDay ? `Proven up to ${formatDate(provenDay)}` : 'No day is proven yet'
}

/** The money and credits at stake, e.g. `€7.00 · 500 credits`; null without either. */
export function stakeText(money: Money | null, credits: number | null): string | null {
  const parts = [
    money && formatMoney(money.amount_minor, money.currency),
    credits && `${formatCreditChange(credits)} credits`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(' · ') : null
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** The age in its largest unit: `3 d`, `12 min`. By the server's clock, which a sandbox may move. */
export function ageText(since: string, asOf: string): string {
  const elapsed_ms = Date.parse(asOf) - Date.parse(since)
  const unit = units.find(([, length_ms]) => elapsed_ms >= length_ms)
  return unit ? `${Math.floor(elapsed_ms / unit[1])} ${unit[0]}` : 'now'
}
