import * as z from 'zod/mini'
import type { TraceItem } from '../../../schema/api/support.ts'
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
  /** The account of a transfer, and its balance after it. */
  readonly account?: string
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

export interface Notice {
  /** `problem`: the customer or support has to do something. `waiting`: it explains what a customer sees. */
  readonly level: Extract<SupportLevel, 'problem' | 'waiting'>
  readonly sentence: string
  /** What to tell the customer, in the words that they see. */
  readonly tell: string
  readonly item_key: string | null
}

export function notice(
  level: Notice['level'],
  said: { readonly sentence: string; readonly tell: string; readonly item_key?: string },
): Notice {
  return { item_key: null, ...said, level }
}

/** How items of a kind are shown, and what their data has for that. */
export interface Words<Data> {
  readonly kind: string
  /** Where that is not its kind. */
  readonly name?: string
  readonly data: z.ZodMiniType<Data>
  describe(item: ItemOf<Data>, context: TextContext): ItemText
  /** What it explains about a complaint, beside all other items that may. */
  notices?(item: ItemOf<Data>, all: readonly TraceItem[]): Notice[]
}
export type ItemOf<Data> = Pick<TraceItem, 'id' | 'key' | 'at'> & { readonly data: Data }

/** Infers the type of the data from its schema. */
export const wordsOf = <Data>(words: Words<Data>): Words<Data> => words

/** Null for an item of another kind, or with data of another version. */
export function dataOf<Data>(words: Words<Data>, { kind, data }: TraceItem): Data | null {
  return (kind === words.kind && words.data.safeParse(data).data) || null
}

export const time = z.iso.datetime({ offset: true })
export const maybe = { time: z.nullable(time), text: z.nullable(z.string()), int: z.nullable(z.int()) }
/** Of a row that is tried until it succeeds or fails for good. */
export const tried = { attempts: z.int(), last_error: maybe.text, next_try_at: time }

/** A member in a sentence: `d…@example.com (user_2abc)`, or the id alone of one who is unknown. */
export function memberText(id: string, label: string | null): string {
  return label ? `${label} (${id})` : id
}

export function creditsText(credits: number | null): string {
  const amount = Math.abs(credits ?? 0)
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? 'credit' : 'credits'}`
}

export function seatsText(seats: number): string {
  return `${seats} ${seats === 1 ? 'seat' : 'seats'}`
}

export function moneyText(amount_minor: number, currency: string): string {
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
