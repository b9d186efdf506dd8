import * as z from 'zod/mini'
import { apiErrorSchema } from './error.ts'
import { payerSchema } from './ids.ts'

/** Who pays for a call that may name it: `personal` or an organization; without it the token's payer. */
export const namedPayer = { payer: z.optional(payerSchema) }

/** A limit on spending that is nearest to being reached, or that has been. Times are midnight, UTC. */
export const nearestBudgetSchema = z.object({
  /** `run`: the limit that the caller gave with a hold. */
  scope: z.enum(['organization', 'member_default', 'member', 'own', 'run']),
  limit: z.int(),
  spent: z.int(),
  held: z.int(),
  resets_at: z.nullable(z.iso.datetime()),
})
export type NearestBudget = z.infer<typeof nearestBudgetSchema>

export const editorBalanceSchema = z.object({
  payer: payerSchema,
  /** What can be spent, beside what is held; never below zero. */
  available: z.int(),
  /** Credits of open holds. */
  held: z.int(),
  plan: z.int(),
  purchased: z.int(),
  /** True when it is time to suggest a top-up. */
  low: z.boolean(),
})
/** Null where no limit applies. */
export const withNearestBudget = { budget: z.nullable(nearestBudgetSchema) }
export type EditorBalance = z.infer<typeof editorBalanceSchema>

export const otherPayers = {
  /** Payers of the user that could pay for this call now, the user first. The text says so, too. */
  other_payers: z.array(z.object({ id: payerSchema, available: z.int() })),
}
export type OtherPayer = z.infer<(typeof otherPayers)['other_payers']>[number]

/** Of calls that are paid for. */
export const noSeat = {
  description: 'The user has no seat in the organization that is to pay, named or of the token',
  schema: z.extend(apiErrorSchema, {
    code: z.literal('payer_not_found'),
    payer: payerSchema,
    ...otherPayers,
  }),
}
