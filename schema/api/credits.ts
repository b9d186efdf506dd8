import { z } from 'zod'
import { creditPurchaseProblem } from '../catalogue/credits.ts'
import { endpoint } from './endpoint.ts'

/** A number of credits that can be bought: a whole number from 71 to 71,428. Its messages are shown to customers. */
export const purchasableCreditsSchema = z
  .unknown()
  .superRefine((value, context) => {
    const problem = creditPurchaseProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .transform((value) => value as number)
  .meta({ type: 'integer', minimum: 71, maximum: 71_428 })

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
  reference_id: z.string().nullable(),
})
export type CreditTransaction = z.infer<typeof creditTransactionSchema>

export const getCreditHistory = endpoint({
  method: 'GET',
  path: '/api/credits/history',
  summary: 'The history of the caller’s own credits, newest first',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(25),
    cursor: z.string().max(64).optional(),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ items: z.array(creditTransactionSchema), next_cursor: z.string().nullable() }),
  }),
})
