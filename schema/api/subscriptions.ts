import * as z from 'zod/mini'
import { maximumSeats, minimumSeats, seatsText } from '../catalogue/plans.ts'
import { billingFrequencySchema, currencySchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { userIdSchema } from './ids.ts'

/** A number of seats with which a plan can be bought; its message is shown to customers. */
export const seatsSchema = z
  .pipe(
    z.unknown().check(
      z.superRefine((value, context) => {
        if (
          !Number.isInteger(value) ||
          (value as number) < minimumSeats ||
          (value as number) > maximumSeats
        ) {
          context.addIssue({ code: 'custom', message: seatsText(maximumSeats) })
        }
      }),
    ),
    z.transform((value) => value as number),
  )
  .check(z.meta({ type: 'integer', minimum: minimumSeats, maximum: maximumSeats }))

/** What the buyer calls their organization; shown to its members and on invoices. */
export const organizationNameSchema = z.string().check(
  z.trim(),
  z.minLength(1, 'Enter a name for your organization'),
  z.maxLength(100, 'The name can have at most 100 characters'),
  z.refine((text) => !/\p{Cc}/u.test(text), 'The name must not have control characters'),
)

export const createCheckoutSession = endpoint({
  method: 'POST',
  path: '/api/stripe/create-checkout-session',
  summary: 'Start the purchase of a plan and receive the address of the hosted payment page',
  auth: 'user',
  limit: 'checkout',
  idempotent: true,
  body: z.strictObject({
    planType: soldPlanTypeSchema,
    billingFrequency: z._default(billingFrequencySchema, 'monthly'),
    /** As shown to the customer; left out, the caller's. */
    currency: z.optional(currencySchema),
    /** The price shown: its lookup key (`pro_monthly`) or Stripe id. Must be the catalogue's price. */
    priceId: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
    /** Must be 1 for Pro. */
    seats: z._default(seatsSchema, minimumSeats),
    /** Of the organization that a Teams plan creates; otherwise it is named after the buyer. */
    organizationName: z.optional(organizationNameSchema),
    /** With Teams: the caller's own plan ends when Teams is paid; see `GET /api/plan-change/own-plan`. */
    endOwnPlan: z.optional(z.boolean()),
    clerkUserId: userIdSchema,
    /** Must be on the application's own origin. */
    successUrl: z.optional(z.url().check(z.maxLength(2048))),
    cancelUrl: z.optional(z.url().check(z.maxLength(2048))),
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

/** A page of the portal to open at once; left out, its overview. */
export const portalFlowSchema = z.optional(z.enum(['payment_method_update']))

export const createCustomerPortalSession = endpoint({
  method: 'POST',
  path: '/api/stripe/create-customer-portal-session',
  summary: 'The address of the caller’s hosted billing page: card, invoices, cancelling',
  auth: 'user',
  limit: 'checkout',
  body: z.strictObject({ userId: userIdSchema, flow: portalFlowSchema }),
  response: z.object({ url: z.url() }),
})
