import { z } from 'zod'
import { defaultCurrency } from '../catalogue/currency.ts'
import { billingFrequencySchema, currencySchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { purchasableCreditsSchema } from './credits.ts'
import { endpoint } from './endpoint.ts'
import { userIdSchema } from './ids.ts'

const sessionId = z.string().min(1).max(255)

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
    /** Major units, as shown to the customer: 7 for 500 credits. Must be the catalogue's price or the call is refused. */
    amount: z.number().positive(),
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
    currency: currencySchema.default(defaultCurrency),
    /** Must be on the application's own origin. */
    successUrl: z.url().max(2048).optional(),
    cancelUrl: z.url().max(2048).optional(),
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

export const fulfilmentSchema = z.object({
  /** `applied` means that the transfer is in the ledger. */
  state: z.enum(['pending', 'applied', 'failed', 'expired']),
  /** How far a paid order has come that is still pending: known to us, or also handed to the worker. */
  stage: z.enum(['received', 'queued']).optional(),
  credits: z.int(),
  /** The payer's total balance after the latest transfer. */
  balance: z.int(),
  applied_at: z.iso.datetime().nullable(),
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
      customer_email: z.string().nullable(),
      subscription_id: z.string().nullable(),
      /** For a plan that began with a trial, once it has begun: the day of the first charge. */
      trial_ends_at: z.iso.datetime().optional(),
      metadata: z.object({
        planType: z.string().optional(),
        billingFrequency: z.string().optional(),
        currency: z.string().optional(),
        seats: z.string().optional(),
        priceId: z.string().optional(),
        credits: z.string().optional(),
        organizationId: z.string().optional(),
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
  /** Minor units: what it costs, or for a plan one period of it. */
  amount_minor: z.int(),
  currency: currencySchema,
  /** Null for credits. */
  planType: soldPlanTypeSchema.nullable(),
  billingFrequency: billingFrequencySchema.nullable(),
  seats: z.int().nullable(),
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
