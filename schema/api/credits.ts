import { z } from 'zod'
import { creditPurchaseProblem } from '../catalogue/credits.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'
import { timeZoneSchema } from './time-zone.ts'

/** A number of credits that can be bought: a whole number from 71 to 71,428. Its messages are shown to customers. */
export const purchasableCreditsSchema = z
  .unknown()
  .superRefine((value, context) => {
    const problem = creditPurchaseProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .transform((value) => value as number)
  .meta({ type: 'integer', minimum: 71, maximum: 71_428 })

/**
 * What people tell apart in a history. The kinds of the ledger are finer; see server/routes/credits.ts.
 */
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
  reference_id: z.string().nullable(),
})
export type CreditTransaction = z.infer<typeof creditTransactionSchema>

/** Whose history, and which part of it. */
const historySelection = {
  payer: payerSchema.default('personal'),
  category: z.enum(creditCategories).optional(),
  /** Found in the description and in the reference, in upper or lower case; a whole number also as the amount. */
  q: z.string().trim().max(100).optional(),
}

/**
 * One call looks through a limited number of entries, so a page may have fewer items than `limit`, or none, and still a
 * `next_cursor`: the search goes on there. See decision 093.
 */
export const getCreditHistory = endpoint({
  method: 'GET',
  path: '/api/credits/history',
  summary: 'The history of a payer’s credits, newest first; of an organization for its admins',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    ...historySelection,
    limit: z.coerce.number().int().min(1).max(100).default(25),
    cursor: z.string().max(64).optional(),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ items: z.array(creditTransactionSchema), next_cursor: z.string().nullable() }),
  }),
})

/** The columns of the export, in their order. */
export const exportColumns = [
  /** ISO 8601, UTC. */
  'date',
  'category',
  'description',
  /** Whole credits; negative when used. */
  'credits',
  /** Of the account, after the entry. */
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

export const summaryDays = 30

export const getUsageSummary = endpoint({
  method: 'GET',
  path: '/api/credits/usage-summary',
  summary: `Credits used and granted on each of the last ${summaryDays} days, this month and last month; of an organization for its members`,
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    payer: payerSchema.default('personal'),
    /** IANA name; days and months begin when they begin there. */
    time_zone: timeZoneSchema.default('UTC'),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      time_zone: z.string(),
      /** Oldest first, today last. */
      days: z.array(creditSumsSchema.extend({ date: z.iso.date() })),
      this_month: creditSumsSchema,
      last_month: creditSumsSchema,
      /** Used on an average one of `days`, to one decimal. */
      daily_average: z.number(),
    }),
  }),
})
export type UsageSummary = z.infer<typeof getUsageSummary.response>['data']
