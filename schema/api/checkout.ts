import * as z from 'zod/mini'
import { billingFrequencySchema, currencySchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { purchasableCreditsSchema } from './credits.ts'
import { endpoint } from './endpoint.ts'
import { userIdSchema } from './ids.ts'

const sessionId = z.string().check(z.minLength(1), z.maxLength(255))

export const purchaseCredits = endpoint({
  method: 'POST',
  path: '/api/billing/credit-purchase',
  summary: 'Start the purchase of credits and receive the address of the hosted payment page',
  auth: 'user',
  limit: 'checkout',
  idempotent: true,
  body: z.strictObject({
    clerkUserId: userIdSchema,
    credits: purchasableCreditsSchema,
    /**
     * Major units, as shown to the customer: 7 for 500 credits. Refused unless it is the catalogue's price.
     */
    amount: z.number().check(z.positive()),
    currency: currencySchema,
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

export const createCreditTopupSession = endpoint({
  method: 'POST',
  path: '/api/stripe/create-credit-topup-session',
  summary: 'Start the purchase of credits, with return addresses',
  auth: 'user',
  limit: 'checkout',
  idempotent: true,
  body: z.strictObject({
    creditsAmount: purchasableCreditsSchema,
    clerkUserId: userIdSchema,
    /** As shown to the customer; left out, the payer's. */
    currency: z.optional(currencySchema),
    /** Must be on the application's own origin. */
    successUrl: z.optional(z.url().check(z.maxLength(2048))),
    cancelUrl: z.optional(z.url().check(z.maxLength(2048))),
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

export const fulfilmentSchema = z.object({
  /** `applied` means that the transfer is in the ledger. */
  state: z.enum(['pending', 'applied', 'failed', 'expired']),
  /** How far a paid order has come that is still pending: known to us, or also handed to the worker. */
  stage: z.optional(z.enum(['received', 'queued'])),
  credits: z.int(),
  /** The payer's total balance after the latest transfer. */
  balance: z.int(),
  /** What of it can be used, and what is reserved for requests that are under way. */
  available: z.int(),
  held: z.int(),
  applied_at: z.nullable(z.iso.datetime()),
})
export type Fulfilment = z.infer<typeof fulfilmentSchema>

export const getSessionStatus = endpoint({
  method: 'GET',
  path: '/api/stripe/session-status',
  summary: 'The status of a checkout session at Stripe, and whether the ledger has it',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ session_id: sessionId }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      status: z.enum(['open', 'complete', 'expired']),
      payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
      /** Minor units. */
      amount_total: z.int(),
      currency: currencySchema,
      /** As ordered: the price, for a plan of one period. */
      price_minor: z.int(),
      customer_email: z.nullable(z.string()),
      subscription_id: z.nullable(z.string()),
      /** For a plan that began with a trial, once it has begun: the day of the first charge. */
      trial_ends_at: z.optional(z.iso.datetime()),
      /** The buyer's own plan, which ended because this Teams plan was paid. */
      ended_plan: z.optional(
        z.object({
          plan_type: soldPlanTypeSchema,
          /** What goes back to the card; about so much until `is_final`. */
          refund_minor: z.int(),
          currency: currencySchema,
          is_final: z.boolean(),
        }),
      ),
      metadata: z.object({
        planType: z.optional(z.string()),
        billingFrequency: z.optional(z.string()),
        currency: z.optional(z.string()),
        seats: z.optional(z.string()),
        priceId: z.optional(z.string()),
        credits: z.optional(z.string()),
        organizationId: z.optional(z.string()),
      }),
      fulfilment: fulfilmentSchema,
    }),
  }),
})

export const processPaymentSuccess = endpoint({
  method: 'POST',
  path: '/api/stripe/process-payment-success',
  summary: 'Ask that a paid session is settled now, without waiting for its webhook',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ sessionId, clerkUserId: userIdSchema }),
  response: z.object({ success: z.literal(true), fulfilment: fulfilmentSchema }),
})

/** An order whose payment page was opened and can still be paid. Nothing has been charged for it. */
const openCheckoutSchema = z.object({
  sessionId: z.string(),
  /** The payment page. */
  url: z.url(),
  credits: z.int(),
  /** Minor units: the price, for a plan of one period. */
  amount_minor: z.int(),
  currency: currencySchema,
  /** Null for credits. */
  planType: z.nullable(soldPlanTypeSchema),
  billingFrequency: z.nullable(billingFrequencySchema),
  seats: z.nullable(z.int()),
  trial_days: z.int(),
})
export type OpenCheckout = z.infer<typeof openCheckoutSchema>

export const listOpenCheckouts = endpoint({
  method: 'GET',
  path: '/api/stripe/open-checkouts',
  summary:
    'The caller’s latest orders that were not paid, at most three, with the addresses of their payment pages',
  auth: 'user',
  limit: 'read',
  response: z.object({ checkouts: z.array(openCheckoutSchema) }),
})
