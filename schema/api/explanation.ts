import * as z from 'zod/mini'
import { currencySchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'
import { timeZoneSchema } from './time-zone.ts'

/** Whole credits. */
const creditsSchema = z.object({
  plan: z.int(),
  purchased: z.int(),
  /** The balance that is shown: both accounts together. */
  total: z.int(),
})

/** The causes of balance changes, as customers see them. */
export const causeKinds = [
  'purchase',
  'purchase_withdrawn',
  'plan_month',
  'plan_month_shortened',
  'seats_added',
  'late_month',
  'usage',
  'usage_moved',
  'expiry',
  'expiry_reversed',
  'write_off',
  'write_off_reversed',
  'refund',
  'refund_reversed',
  'dispute',
  'dispute_won',
  'correction',
] as const
export type CauseKind = (typeof causeKinds)[number]

const causeSchema = z.object({
  kind: z.enum(causeKinds),
  /** What an editor wrote of a usage, or support of a correction. */
  note: z.nullable(z.string()),
  /** Why a request failed, which costs nothing; null for everything else. */
  failure: z.nullable(z.enum(['provider_error', 'timeout', 'empty', 'cancelled'])),
  /** What a usage by tokens cost exactly, in thousandths of a credit; parts of a credit are charged with a later one. */
  cost_thousandths: z.nullable(z.int()),
  /** What a usage was for, as the editor says; null where it says nothing. */
  model: z.nullable(z.string()),
  project: z.nullable(z.string()),
  /** What a request cost above what was reserved for it, which is a change of its own. */
  is_above_hold: z.boolean(),
  /** Who used credits of an organization: a name, or an address without one. Null for everything else. */
  by: z.nullable(z.string()),
  /** The month of the plan that it is about, or its trial. */
  month: z.nullable(z.object({ starts_at: z.iso.datetime(), ends_at: z.iso.datetime() })),
  /** The purchase that it is, or that it takes back. */
  purchase: z.nullable(
    z.object({
      credits: z.int(),
      amount_minor: z.int(),
      currency: currencySchema,
      paid_at: z.nullable(z.iso.datetime()),
    }),
  ),
  /** The invoice or receipt, as `GET /api/billing/invoices` lists it. */
  document_id: z.nullable(z.string()),
})
export type Cause = z.infer<typeof causeSchema>

const changeSchema = z.object({
  id: z.string(),
  occurred_at: z.iso.datetime(),
  cause: causeSchema,
  /** Whole credits; negative when taken. */
  change: creditsSchema,
  balance_after: creditsSchema,
})
export type BalanceChange = z.infer<typeof changeSchema>

/** Credits that are reserved for a request that is under way: in the balance, but not available. */
const pendingSchema = z.object({
  id: z.string(),
  credits: z.int(),
  expires_at: z.iso.datetime(),
  note: z.nullable(z.string()),
  by: z.nullable(z.string()),
  model: z.nullable(z.string()),
  project: z.nullable(z.string()),
  /** As people know it; null while that is not known. */
  editor: z.nullable(z.string()),
})
export type PendingCredits = z.infer<typeof pendingSchema>

/** The categories of causes, for a search. */
export const creditCategories = ['purchase', 'plan', 'usage', 'refund', 'expiry', 'correction'] as const
export type CreditCategory = (typeof creditCategories)[number]

/** The payer, the moment of the balance, and the part of what made it. */
const selection = {
  payer: z._default(payerSchema, 'personal'),
  category: z.optional(z.enum(creditCategories)),
  /** Part of what happened, ignoring case; a whole number also finds the change. */
  q: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  /** The end of this day; left out or not over yet, now. */
  date: z.optional(z.iso.date()),
  /** IANA name; the day ends when it ends there. */
  time_zone: z._default(timeZoneSchema, 'UTC'),
}

/**
 * One call looks through a limited number of changes, so a page of a search may be short or empty and still
 * have a `next_cursor`: the search goes on there. See decision 093.
 */
export const explainBalance = endpoint({
  method: 'GET',
  path: '/api/credits/explanation',
  summary:
    'What made a payer’s balance what it was on a date: each change with its cause and the balance after it, newest first; of an organization for its admins',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    ...selection,
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25),
    cursor: z.optional(z.string().check(z.maxLength(64))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      /** The moment whose balance is explained. */
      as_of: z.iso.datetime(),
      /** No past day was asked for. False also while the data is seconds old: then `as_of` has its moment. */
      is_now: z.boolean(),
      /** After the first of the items. */
      balance: creditsSchema,
      /** What is reserved at present, the latest first; none on later pages, for a past day and a search. */
      pending: z.array(pendingSchema),
      items: z.array(changeSchema),
      /** Before the last of the items; of a search, before the last change that it looked at. */
      opening: creditsSchema,
      next_cursor: z.nullable(z.string()),
    }),
  }),
})

export const explanationColumns = [
  /** ISO 8601, UTC. */
  'date',
  'what',
  'cause',
  'plan_change',
  'purchased_change',
  'plan_balance',
  'purchased_balance',
  'balance',
  /** Stripe's id of the invoice or the payment. */
  'reference_id',
] as const

export const exportExplanation = endpoint({
  method: 'GET',
  path: '/api/credits/explanation/export',
  summary: `The same as a file, whole and newest first; columns: ${explanationColumns.join(', ')}`,
  auth: 'user',
  limit: 'write',
  query: z.strictObject(selection),
  file: 'text/csv',
  response: z.string(),
})

/** How days and sums are written for the reader. */
export interface CauseFormat {
  day(iso: string): string
  credits(amount: number): string
  money(amount_minor: number, currency: z.infer<typeof currencySchema>): string
}

/**
 * A change in plain words: what happened, and what caused it. Where the day of the change stands
 * beside it (`on`), it is not said again.
 */
export function describeCause(cause: Cause, format: CauseFormat, on?: string): { what: string; why: string } {
  const { note } = cause
  const period = periodOf(cause, format)
  switch (cause.kind) {
    case 'purchase':
      return { what: `${bought(cause, format)} bought`, why: paid(cause, format, on) }
    case 'purchase_withdrawn':
      return { what: 'Purchase taken back', why: `${ofPurchase(cause, format)}; the payment was never made` }
    case 'plan_month':
      return { what: 'Plan credits', why: `Included in the plan from ${period}` }
    case 'plan_month_shortened':
      return { what: 'Plan credits taken back', why: `The time from ${period} was cut short` }
    case 'seats_added':
      return { what: 'Credits for added seats', why: `For the rest of the month, from ${period}` }
    case 'late_month':
      return { what: 'Credits for a late plan payment', why: `For ${period}; they do not expire` }
    case 'usage':
      return usageText(cause, format)
    case 'usage_moved':
      return {
        what: 'Bought credits given back',
        why: `The plan from ${period} pays for what was used since it began`,
      }
    case 'expiry':
      return { what: 'Unused plan credits expired', why: `Of those included from ${period}` }
    case 'expiry_reversed':
      return { what: 'Expired plan credits given back', why: `Of those included from ${period}` }
    case 'write_off':
      return {
        what: 'Missing plan credits made up',
        why: `Those included from ${period} ended below zero; nothing of it is owed`,
      }
    case 'write_off_reversed':
      return { what: 'Made up plan credits taken back', why: `Of those included from ${period}` }
    case 'refund':
      return { what: 'Refund', why: ofPayment(cause, format) }
    case 'refund_reversed':
      return { what: 'Refund reversed', why: ofPayment(cause, format) }
    case 'dispute':
      return {
        what: 'Payment disputed',
        why: `${ofPayment(cause, format)}; the credits come back if the bank decides that the payment stands`,
      }
    case 'dispute_won':
      return { what: 'Credits of a disputed payment given back', why: ofPayment(cause, format) }
    case 'correction':
      return { what: 'Correction by support', why: note ?? '' }
  }
}

const failureNames: Readonly<Record<NonNullable<Cause['failure']>, string>> = {
  provider_error: 'provider error',
  timeout: 'timeout',
  empty: 'empty answer',
  cancelled: 'canceled',
}

function usageText(
  { note, failure, cost_thousandths, is_above_hold, by, model, project }: Cause,
  format: CauseFormat,
): {
  what: string
  why: string
} {
  const who = by === null ? 'in an editor' : `by ${by}`
  const details = failure
    ? [note, `Requested ${who}`, model, project]
    : [
        `Used ${who}`,
        is_above_hold && 'above what was reserved',
        cost_thousandths !== null && `costs exactly ${format.credits(cost_thousandths / 1000)} credits`,
        model,
        project,
      ]
  return {
    what: failure ? `Not charged: ${failureNames[failure]}` : (note ?? 'Usage'),
    why: details.filter(Boolean).join(' · '),
  }
}

/** A month of the plan, or its trial. */
function periodOf({ month }: Cause, format: CauseFormat): string {
  return month ? `${format.day(month.starts_at)} to ${format.day(month.ends_at)}` : 'an earlier time'
}

function bought({ purchase }: Cause, format: CauseFormat): string {
  return purchase ? `${format.credits(purchase.credits)} credits` : 'Credits'
}

function paid({ purchase }: Cause, format: CauseFormat, on: string | undefined): string {
  if (!purchase) return ''
  const sum = format.money(purchase.amount_minor, purchase.currency)
  if (purchase.paid_at === null) return `For ${sum}`
  const day = format.day(purchase.paid_at)
  return on !== undefined && day === format.day(on) ? `Paid ${sum}` : `Paid ${sum} on ${day}`
}

function ofPurchase(cause: Cause, format: CauseFormat): string {
  const { purchase } = cause
  const day = purchase?.paid_at ? ` bought on ${format.day(purchase.paid_at)}` : ''
  return `Of ${purchase ? bought(cause, format) : 'credits'}${day}`
}

/** Refunds and disputes are of a purchase, or of the invoice that paid for a month. */
function ofPayment(cause: Cause, format: CauseFormat): string {
  const isOfMonth = cause.month !== null && cause.purchase === null
  return isOfMonth ? `Of the payment for ${periodOf(cause, format)}` : ofPurchase(cause, format)
}
