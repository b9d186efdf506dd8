import type { ItemOf, TraceItemKind } from '../../../schema/api/support-timeline.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'

/**
 * `done`: nothing is left to do. `waiting`: it takes its time, for a bank or for the next try. `problem`: it
 * failed or is stuck, and needs a person. `ignored`: it has no consequences for us.
 */
export type SupportLevel = 'done' | 'waiting' | 'problem' | 'ignored'
export interface Money {
  readonly amount_minor: number
  readonly currency: Currency
}

/** An item in words. */
export interface ItemText {
  /** A sentence without a full stop, e.g. `Checkout of 500 credits`. */
  readonly title: string
  readonly level: SupportLevel
  /** The row's own word for it, e.g. `settled`, `received`, `past_due`. */
  readonly state?: string
  /** Why it failed, was ignored or is waiting. */
  readonly error?: string | null
  /** What else there is to say, in sentences. */
  readonly details?: readonly string[]
  readonly money?: Money | null
  /** Signed credits of a transfer; for other items the credits that they bring when they succeed. */
  readonly credits?: number
  /** The account's balance after a transfer. */
  readonly balance_after?: number
  readonly attempts?: number
  readonly next_try_at?: string | null
  /** Keys of the items that caused it, possibly on other pages: an event's intent, a transfer's event. */
  readonly caused_by?: readonly string[]
  /** Keys of the transfers that settled a hold. */
  readonly led_to?: readonly string[]
}

export interface TextContext {
  /** When the server answered, by its clock, which a sandbox may move. */
  readonly as_of: string
  /** Of colleagues, by their ids. */
  readonly names?: Readonly<Record<string, string>>
}

/** How items of a kind are shown. */
export interface Words<Kind extends TraceItemKind> {
  readonly name: string
  readonly describe: (item: ItemOf<Kind>, context: TextContext) => ItemText
}

/** A member in a sentence: `d…@example.com (user_2abc)`, or the id alone of one who is unknown. */
export function memberText(id: string, label: string | null): string {
  return label ? `${label} (${id})` : id
}

export function creditsText(credits: number): string {
  const amount = Math.abs(credits).toLocaleString('en-US')
  return `${amount} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`
}

export function seatsText(seats: number): string {
  return `${seats} ${seats === 1 ? 'seat' : 'seats'}`
}

export function moneyText(amount_minor: number, currency: Currency): string {
  return new Intl.NumberFormat('en-IE', { style: 'currency', currency }).format(amount_minor / 100)
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `12 November 2026`, in UTC. */
export function dayText(at: string): string {
  return dayFormat.format(new Date(at))
}

/** `4 May 2026 at 14:32 UTC`. */
export function momentText(at: string): string {
  return `${dayText(at)} at ${new Date(at).toISOString().slice(11, 16)} UTC`
}

export function durationText(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from)
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  const [unit, length_ms] = units.find(([, length]) => ms >= length) ?? (['second', 1000] as const)
  const count = Math.max(1, Math.floor(ms / length_ms))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** A sentence ends with one full stop, whatever the text that it ends with. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** What became of a dispute, and until when there is something to do about it. */
export function describeDispute({
  dispute_state,
  dispute_state_at,
  dispute_due_at,
}: Pick<ItemOf<'charge'>['data'], 'dispute_state' | 'dispute_state_at' | 'dispute_due_at'>): string[] {
  if (!dispute_state || !dispute_state_at) return []
  const day = dayText(dispute_state_at)
  if (dispute_state === 'lost') return [`Dispute lost on ${day}.`]
  if (dispute_state === 'won') return [`Dispute won on ${day}.`]
  const until = dispute_due_at ? ` Stripe takes evidence until ${dayText(dispute_due_at)}.` : ''
  return [`Dispute open since ${day}.${until}`]
}

export function whatIsBought(
  bought: Pick<ItemOf<'intent'>['data'], 'plan_type' | 'billing_frequency' | 'seats' | 'credits'>,
): string {
  if (bought.plan_type === null) return creditsText(bought.credits)
  return `${capitalized(bought.plan_type)}, ${bought.billing_frequency}, ${seatsText(bought.seats ?? 1)}`
}
