import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { apiErrorSchema } from './error.ts'
import { payerQuery, userIdSchema } from './ids.ts'

const limit = z.int().check(z.minimum(0), z.maximum(1_000_000_000))
const period = z.enum(['day', 'month', 'billing_month'])
/** By UTC. A billing month begins with the day on which the month of the plan began. */
export type BudgetPeriod = z.infer<typeof period>

const scope = z.enum(['organization', 'member_default', 'member', 'own'])
/**
 * `organization` and `own`: what all use of this balance. `member`: what one person uses of it, in place of
 * `member_default`, which is what each person may use.
 */
export type BudgetScope = z.infer<typeof scope>

const budgetSchema = z.object({
  id: z.uuid(),
  scope,
  period,
  /** The limit of this period. */
  limit,
  /** By how much an admin raised it for this period alone. */
  extra: z.int(),
  spent: z.int(),
  /** What of it was spent before the limit was set. */
  spent_before: z.int(),
  /** Credits of open holds. */
  held: z.int(),
  /** Below zero after the limit was lowered. */
  left: z.int(),
  starts_at: z.iso.datetime(),
  resets_at: z.iso.datetime(),
  /** How often it refused something in this period, and when it did last. */
  refused: z.int(),
  refused_at: z.nullable(z.iso.datetime()),
  /** When a member asked for more, since it was last raised. */
  asked_at: z.nullable(z.iso.datetime()),
})
export type Budget = z.infer<typeof budgetSchema>

export const getBudgets = endpoint({
  method: 'GET',
  path: '/api/budgets',
  summary:
    'The limits on what is spent of a payer’s credits, with what is spent of each; a member sees those that apply to them',
  auth: 'user',
  limit: 'read',
  query: payerQuery,
  response: z.object({
    success: z.literal(true),
    /** What all may spend together; of `personal` the caller’s own limit. */
    everyone: z.nullable(budgetSchema),
    /** What each member may spend who has no limit of their own. */
    member_default: z.nullable(z.object({ limit, period })),
    /** Those who have a seat, each with the limit that applies to them. */
    people: z.array(z.object({ user_id: z.string(), budget: z.nullable(budgetSchema) })),
  }),
})

export const setBudget = endpoint({
  method: 'PUT',
  path: '/api/budgets',
  summary: 'Set or remove a limit; it holds for the next call that spends',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  body: z.strictObject({
    /** `own` for `personal`, the others for an organization. */
    scope,
    /** Of a `member`. */
    user_id: z.optional(userIdSchema),
    /** Null removes it. */
    limit: z.nullable(limit),
    period: z._default(period, 'billing_month'),
    /** Also where more than that is spent already, which blocks at once; open holds finish. */
    confirmed: z._default(z.boolean(), false),
  }),
  response: z.object({ success: z.literal(true) }),
  also: {
    409: {
      description:
        'More than that is spent or held already, and the call is not `confirmed`; nothing was changed',
      schema: z.extend(apiErrorSchema, {
        code: z.literal('limit_below_spent'),
        /** Of the person who is the furthest above it, or of all. */
        spent: z.int(),
        held: z.int(),
        /** How many people it would block; null for a limit of everyone. */
        people: z.nullable(z.int()),
      }),
    },
  },
})

const ofPeriod = {
  budget_id: z.uuid(),
  /** Whose spending it limits, where it limits each member. */
  user_id: z.optional(userIdSchema),
}

export const raiseBudget = endpoint({
  method: 'POST',
  path: '/api/budgets/raise',
  summary: 'Raise a limit for this period alone; does nothing where it is as high already',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  body: z.strictObject({ ...ofPeriod, limit }),
  response: z.object({ success: z.literal(true), raised: z.boolean() }),
})

export const askForMore = endpoint({
  method: 'POST',
  path: '/api/budgets/ask',
  summary: 'Ask the administrators to raise a limit that applies to the caller; they are told once',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  body: z.strictObject({ budget_id: z.uuid() }),
  response: z.object({ success: z.literal(true), asked: z.boolean() }),
})
