import * as z from 'zod/mini'
import { creditPurchaseProblem } from '../catalogue/credits.ts'
import { endpoint } from './endpoint.ts'

/** A number of credits that can be bought: a whole number from 71 to 71,428. Its messages are shown to customers. */
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

export const creditTransactionSchema = z.object({
  id: z.string(),
  /** Whole credits; positive when added, negative when used. */
  amount: z.int(),
  type: z.enum(['grant', 'usage']),
  /** The ledger's kind of transfer, e.g. `credit_purchase`. */
  kind: z.string(),
  account: z.enum(['plan', 'purchased']),
  description: z.string(),
  balance_after: z.int(),
  created_at: z.iso.datetime(),
  reference_id: z.nullable(z.string()),
})
export type CreditTransaction = z.infer<typeof creditTransactionSchema>

export const getCreditHistory = endpoint({
  method: 'GET',
  path: '/api/credits/history',
  summary: 'The history of the caller’s own credits, newest first',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25),
    cursor: z.optional(z.string().check(z.maxLength(64))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ items: z.array(creditTransactionSchema), next_cursor: z.nullable(z.string()) }),
  }),
})
