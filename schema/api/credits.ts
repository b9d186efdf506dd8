import * as z from 'zod/mini'
import { creditPurchaseProblem } from '../catalogue/credits.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'
import { timeZoneSchema } from './time-zone.ts'

/** A number of credits on sale: 71 to 71,428. Its messages are shown to customers. */
export const purchasableCreditsSchema = z
  .pipe(
    z.unknown().check(
      z.superRefine((value, context) => {
        const problem = creditPurchaseProblem(value)
        if (problem) context.addIssue({ code: 'custom', message: problem })
      }),
    ),
    z.transform((value) => value as number),
  )
  .check(z.meta({ type: 'integer', minimum: 71, maximum: 71_428 }))

/** The categories of a history. The ledger's kinds are finer; see server/routes/credits.ts. */
export const creditCategories = ['purchase', 'plan', 'usage', 'refund', 'expiry', 'adjustment'] as const
export type CreditCategory = (typeof creditCategories)[number]

export const creditTransactionSchema = z.object({
  id: z.string(),
  /** Whole credits; positive when added, negative when used. */
  amount: z.int(),
  type: z.enum(['grant', 'usage']),
  /** The ledger's kind of transfer, e.g. `credit_purchase`. */
  kind: z.string(),
  category: z.enum(creditCategories),
  account: z.enum(['plan', 'purchased']),
  description: z.string(),
  balance_after: z.int(),
  created_at: z.iso.datetime(),
  reference_id: z.nullable(z.string()),
})
export type CreditTransaction = z.infer<typeof creditTransactionSchema>

/** The payer and the part of their history. */
const historySelection = {
  payer: z._default(payerSchema, 'personal'),
  category: z.optional(z.enum(creditCategories)),
  /** Matches description and reference, ignoring case; a whole number also matches the amount. */
  q: z.optional(z.string().check(z.trim(), z.maxLength(100))),
}

/**
 * One call looks through a limited number of entries, so a page may have fewer items than `limit`, or none,
 * and still a `next_cursor`: the search goes on there. See decision 093.
 */
export const getCreditHistory = endpoint({
  method: 'GET',
  path: '/api/credits/history',
  summary: 'The history of a payer’s credits, newest first; of an organization for its admins',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    ...historySelection,
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25),
    cursor: z.optional(z.string().check(z.maxLength(64))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      items: z.array(creditTransactionSchema),
      next_cursor: z.nullable(z.string()),
      /** Entries from this moment on may be missing, though the balance counts them; null when none is. */
      missing_since: z.nullable(z.iso.datetime()),
      /** On the last page: entries before this moment are archived and not listed; otherwise null. */
      archived_until: z.nullable(z.iso.datetime()),
    }),
  }),
})

/** Shown for a text that was erased. */
export const erasedText = 'Text erased'

/** Said where a list ends before the beginning, on pages and in files. */
export function describeArchived(day: string): string {
  return `What happened before ${day} is archived. Support can look it up for you.`
}

/** The columns of the export. If entries are archived, a last line of category `archived` says so. */
export const exportColumns = [
  /** ISO 8601, UTC. */
  'date',
  'category',
  'description',
  /** Whole credits; negative when used. */
  'credits',
  /** The account's balance after the entry. */
  'balance_after',
  /** `plan` or `purchased`. */
  'account',
  'reference_id',
] as const

export const exportCreditHistory = endpoint({
  method: 'GET',
  path: '/api/credits/export',
  summary: `The same history as a file, whole and newest first; columns: ${exportColumns.join(', ')}`,
  auth: 'user',
  limit: 'write',
  query: z.strictObject(historySelection),
  file: 'text/csv',
  response: z.string(),
})

const creditSumsSchema = z.object({
  /** Usage, above zero. */
  used: z.int(),
  /** Bought, included in a plan or given back, above zero. */
  granted: z.int(),
})

/** The latest days of a summary of usage. */
export const usageDays = {
  /** IANA name; days and months begin when they begin there. */
  time_zone: z._default(timeZoneSchema, 'UTC'),
  days: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(90)), 30),
}

export const getUsageSummary = endpoint({
  method: 'GET',
  path: '/api/credits/usage-summary',
  summary:
    'Credits used and granted on each of the latest days, this month and last month; of an organization for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ payer: z._default(payerSchema, 'personal'), ...usageDays }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      time_zone: z.string(),
      /** Oldest first, today last. */
      days: z.array(z.extend(creditSumsSchema, { date: z.iso.date() })),
      this_month: creditSumsSchema,
      last_month: creditSumsSchema,
      /** Used on an average one of `days`, to one decimal. */
      daily_average: z.number(),
    }),
  }),
})
export type UsageSummary = z.infer<typeof getUsageSummary.response>['data']
