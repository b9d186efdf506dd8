import * as z from 'zod/mini'
import { billingFrequencySchema, currencySchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { payerQuery } from './ids.ts'

export const previewPlanChange = endpoint({
  method: 'GET',
  path: '/api/plan-change',
  summary: 'What changing between monthly and yearly billing would do now; for organizations, for admins',
  auth: 'user',
  limit: 'read',
  query: payerQuery,
  response: z.object({
    billing_frequency: billingFrequencySchema,
    /** In a trial only the price changes: the trial goes on, and the new price is charged at its end. */
    takes_effect: z.enum(['now', 'at_period_end', 'in_trial']),
    /** When the new price is charged for the first time. */
    at: z.iso.datetime(),
    /** Charged at once, less the unused rest of the present period; Stripe's page has the exact amount. */
    due_minor: z.int(),
    /** Of all seats, for each new period. */
    price_minor: z.int(),
    currency: currencySchema,
    /**
     * Included credits, where a new month begins at once: `granted` for it, and `left` of them after what was
     * used beyond the share of the month that is cut. Null where no month is cut.
     */
    credits: z.nullable(z.object({ granted: z.int(), left: z.int() })),
  }),
})
export type PlanChangePreview = z.infer<(typeof previewPlanChange)['response']>

export const startPlanChange = endpoint({
  method: 'POST',
  path: '/api/plan-change',
  summary: 'The address of Stripe’s page on which the change of the billing period is confirmed',
  auth: 'user',
  limit: 'checkout',
  query: payerQuery,
  body: z.strictObject({ billing_frequency: billingFrequencySchema }),
  response: z.object({ url: z.url() }),
})

export const previewOwnPlanEnd = endpoint({
  method: 'GET',
  path: '/api/plan-change/own-plan',
  summary: 'What the caller’s own plan would give back if a Teams plan took its place now; null without one',
  auth: 'user',
  limit: 'read',
  response: z.object({
    plan: z.nullable(
      z.object({
        plan_type: soldPlanTypeSchema,
        is_trial: z.boolean(),
        /** About what goes back to the card: of the paid period the unused time or credits, the lesser. */
        refund_minor: z.int(),
        currency: currencySchema,
        /** A dispute is under way: then nothing is refunded. */
        is_disputed: z.boolean(),
        /** Included credits that expire with the plan; below zero for a debt. */
        credits: z.int(),
      }),
    ),
  }),
})
export type OwnPlanEnd = NonNullable<z.infer<(typeof previewOwnPlanEnd)['response']>['plan']>

/** As Stripe has it now; our own rows follow when its event has been applied. */
const changedSubscription = z.object({
  success: z.literal(true),
  /** In the next period, if there is one. */
  seats: z.int(),
  cancel_at: z.nullable(z.iso.datetime()),
})

export const keepPlan = endpoint({
  method: 'POST',
  path: '/api/plan-change/keep',
  summary: 'Take back the change of seats or billing period that waits for the next period',
  auth: 'user',
  limit: 'checkout',
  query: payerQuery,
  body: z.strictObject({}),
  response: changedSubscription,
})

export const cancelPlan = endpoint({
  method: 'POST',
  path: '/api/plan-change/cancel',
  summary: 'Cancel the plan at the end of its period, also while a change waits for it',
  auth: 'user',
  limit: 'checkout',
  query: payerQuery,
  body: z.strictObject({}),
  response: changedSubscription,
})
