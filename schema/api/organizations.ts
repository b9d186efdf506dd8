import * as z from 'zod/mini'
import { maximumSeats } from '../catalogue/plans.ts'
import { billingFrequencySchema, currencySchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { teamPlan, teamPlans } from '../catalogue/sold-plans.ts'
import { purchasableCreditsSchema } from './credits.ts'
import { endpoint } from './endpoint.ts'
import { organizationIdSchema, userIdSchema } from './ids.ts'
import { portalFlowSchema, seatsSchema } from './subscriptions.ts'

const checkout = z.object({ checkout_url: z.url(), sessionId: z.string(), intentId: z.string() })

export const organizationSubscriptionSchema = z.object({
  /** Stripe's id. */
  id: z.string(),
  plan_type: soldPlanTypeSchema,
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  billing_frequency: billingFrequencySchema,
  currency: currencySchema,
  seats_total: z.int(),
  /** Credits for one seat and billing month, as they were bought. */
  credits_per_seat: z.int(),
  /** Minor units for one seat and one period, as it is paid now. */
  price_per_seat_minor: z.int(),
  current_period_end: z.iso.datetime(),
  /** When it will end, if it was cancelled. */
  cancel_at: z.nullable(z.iso.datetime()),
  ended_at: z.nullable(z.iso.datetime()),
  /** From the next period on. Until then the portal can neither change nor cancel the plan. */
  scheduled_change: z.nullable(
    z.object({ seats: z.int(), billing_frequency: billingFrequencySchema, at: z.iso.datetime() }),
  ),
})
export type OrganizationSubscription = z.infer<typeof organizationSubscriptionSchema>

export const getOrganizationSubscription = endpoint({
  method: 'GET',
  path: '/api/organizations/subscription',
  summary: 'The organization’s subscription; for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ orgId: organizationIdSchema }),
  response: z.object({
    /** Whether the organization has a plan at this moment; `subscription` may be one that has ended. */
    hasSubscription: z.boolean(),
    subscription: z.nullable(organizationSubscriptionSchema),
  }),
})

export const createOrganizationSubscription = endpoint({
  method: 'POST',
  path: '/api/organizations/create-subscription',
  summary: 'Start the purchase of an organization’s seats; for its admins',
  auth: 'user',
  limit: 'checkout',
  idempotent: true,
  body: z.strictObject({
    clerk_org_id: organizationIdSchema,
    plan_type: z._default(z.enum(teamPlans.map(({ plan_type }) => plan_type)), teamPlan.plan_type),
    billing_frequency: z._default(z.literal('monthly'), 'monthly'),
    seats_total: z._default(seatsSchema, 5),
    /** As shown to the admin; left out, the organization's. */
    currency: z.optional(currencySchema),
    /** The caller's own plan ends when Teams is paid; see `GET /api/plan-change/own-plan`. */
    end_own_plan: z._default(z.boolean(), false),
  }),
  response: checkout,
})

export const createOrganizationBillingPortal = endpoint({
  method: 'POST',
  path: '/api/organizations/create-billing-portal',
  summary: 'The address of the organization’s hosted billing page; for its admins',
  auth: 'user',
  limit: 'checkout',
  body: z.strictObject({ clerk_org_id: organizationIdSchema, flow: portalFlowSchema }),
  response: z.object({ url: z.url() }),
})

export const getOrganizationCredits = endpoint({
  method: 'GET',
  path: '/api/organizations/credits',
  summary: 'The organization’s pool of credits; for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ org_id: organizationIdSchema }),
  response: z.object({
    /** Credits available since `since`: always `used_credits + held_credits + remaining_credits`. */
    total_credits: z.int(),
    /** Used since `since`. */
    used_credits: z.int(),
    /** Reserved for requests that are under way. */
    held_credits: z.int(),
    /** What can be used, of plan credits and purchased credits together. Negative is a debt. */
    remaining_credits: z.int(),
    plan_credits: z.int(),
    purchased_credits: z.int(),
    /** The start of the billing month; of the calendar month (UTC) for an organization without a plan. */
    since: z.iso.datetime(),
  }),
})

export const topUpOrganizationCredits = endpoint({
  method: 'POST',
  path: '/api/organizations/credits/topup',
  summary: 'Start the purchase of credits for an organization; for its admins',
  auth: 'user',
  limit: 'checkout',
  idempotent: true,
  body: z.strictObject({
    org_id: organizationIdSchema,
    credits_amount: purchasableCreditsSchema,
    /** As shown to the admin; left out, the organization's. */
    currency: z.optional(currencySchema),
  }),
  response: checkout,
})

export const buySeats = endpoint({
  method: 'POST',
  path: '/api/organizations/buy-seats',
  summary: 'The address of the page on which an admin confirms additional seats; Stripe prorates them',
  auth: 'user',
  limit: 'checkout',
  body: z.strictObject({
    orgId: organizationIdSchema,
    clerkUserId: userIdSchema,
    /** How many more; an organization can have at most 100. */
    quantity: z.int().check(z.minimum(1), z.maximum(maximumSeats)),
  }),
  response: z.object({ url: z.url() }),
})
