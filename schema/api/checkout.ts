import { z } from 'zod'
import { currencySchema, defaultCurrency } from '../catalogue/currency.ts'
import { purchasableCreditsSchema } from './credits.ts'
import { endpoint } from './endpoint.ts'

const clerkUserId = z.string().min(1).max(64)
const sessionId = z.string().min(1).max(255)

export const purchaseCredits = endpoint({
  method: 'POST',
  path: '/api/billing/credit-purchase',
  summary: 'Start the purchase of credits and receive the address of the hosted payment page',
  auth: 'user',
  limit: 'checkout',
  body: z.strictObject({
    clerkUserId,
    credits: purchasableCreditsSchema,
    /** Major units, as the customer saw them: 7 for 500 credits. Must be the catalogue's price or the call is refused. */
    amount: z.number().positive(),
    currency: currencySchema,
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

export const createCreditTopupSession = endpoint({
  method: 'POST',
  path: '/api/stripe/create-credit-topup-session',
  summary: 'Start the purchase of credits with addresses to return to',
  auth: 'user',
  limit: 'checkout',
  body: z.strictObject({
    creditsAmount: purchasableCreditsSchema,
    clerkUserId,
    currency: currencySchema.default(defaultCurrency),
    /** Must be on the application's own origin. */
    successUrl: z.url().max(2048).optional(),
    cancelUrl: z.url().max(2048).optional(),
  }),
  response: z.object({ url: z.url(), sessionId: z.string(), intentId: z.string() }),
})

export const fulfilmentSchema = z.object({
  /** `applied` means that the ledger holds the transfer; nothing else does. */
  state: z.enum(['pending', 'applied', 'failed', 'expired']),
  credits: z.int(),
  /** The payer's whole balance after the latest transfer. */
  balance: z.int(),
  applied_at: z.iso.datetime().nullable(),
})
export type Fulfilment = z.infer<typeof fulfilmentSchema>

export const getSessionStatus = endpoint({
  method: 'GET',
  path: '/api/stripe/session-status',
  summary: 'What Stripe says of a checkout session, and whether the ledger has it',
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
  summary: 'Ask that a paid session be settled now instead of when its webhook comes',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ sessionId, clerkUserId }),
  response: z.object({ success: z.literal(true), fulfilment: fulfilmentSchema }),
})
