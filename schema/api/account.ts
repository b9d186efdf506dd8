import * as z from 'zod/mini'
import { currencySchema, planTypeSchema, soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { payerQuery, payerSchema } from './ids.ts'
import { organizationSubscriptionSchema } from './organizations.ts'

const accountPaymentSchema = z.object({
  id: z.string(),
  kind: z.enum(['credit_purchase', 'subscription']),
  /** Null for credits. */
  plan_type: z.nullable(soldPlanTypeSchema),
  /** The credits of the payment. */
  credits: z.int(),
  amount_minor: z.int(),
  currency: currencySchema,
  /** `awaiting_payment`: at the bank. `paid`: being applied. `under_review`: a person looks at it. */
  state: z.enum(['awaiting_payment', 'paid', 'failed', 'under_review']),
  /** A sentence: the state, its meaning for the payer’s money, and the next step. */
  reason: z.string(),
  created_at: z.iso.datetime(),
})
export type AccountPayment = z.infer<typeof accountPaymentSchema>

const accountSubscriptionSchema = z.extend(organizationSubscriptionSchema, {
  /** When the free trial ends, or ended. */
  trial_end: z.nullable(z.iso.datetime()),
  /**
   * From when on the plan brings no credits although it goes on, because nothing is paid and Stripe plans no
   * charge; may lie ahead. Null for a plan that renews or ends.
   */
  lapses_at: z.nullable(z.iso.datetime()),
  /** The tax of its payments cannot be worked out, until the customer gives an address. */
  lacks_tax_location: z.boolean(),
})
export type AccountSubscription = z.infer<typeof accountSubscriptionSchema>

/** The renewal of a plan: not older than an hour, or older. */
const renewals = ['usual', 'late'] as const
export type Renewal = (typeof renewals)[number]

/** What a payment in each state means for the payer's money, and the next step. */
export const paymentTexts: Readonly<Record<z.infer<typeof accountPaymentSchema>['state'], string>> = {
  awaiting_payment:
    'Your bank is still confirming this payment, which can take a few days. The credits are added as soon as it does.',
  paid: 'Your payment has arrived. The credits are being added.',
  failed: 'The payment did not go through. Nothing was charged and no credits were added.',
  under_review:
    'Your payment has arrived, and the credits could not be added. We are looking into it; please do not pay again.',
}

/** What customers and editors are told in place of the advice to buy credits. */
export const renewalTexts: Readonly<Record<Renewal, string>> = {
  usual: 'The plan is being renewed, and its credits come with the payment, usually within an hour.',
  late: 'The renewal of the plan takes longer than usual. Its credits are added once it is paid.',
}

/** `is_bound`: a live plan decides it. Otherwise the payer may choose another one. */
const payerCurrencySchema = z.object({ code: currencySchema, is_bound: z.boolean() })

export const accountSummarySchema = z.object({
  payer: payerSchema,
  /** Null for a person. */
  organization_name: z.nullable(z.string()),
  /** Whether the caller has a seat in the organization, without which they cannot use its credits. */
  has_seat: z.boolean(),
  lacks_admin: z.boolean(),
  /** When the caller's account was created; null for a caller without one, whatever the payer. */
  member_since: z.nullable(z.iso.datetime()),
  /** Whether the caller may see its payments and buy for it: for an organization, its admins. */
  may_manage: z.boolean(),
  /** Whether the caller gets mails about it; null where the product sends none. */
  mails: z.nullable(z.boolean()),
  balance: z.object({
    plan: z.int(),
    purchased: z.int(),
    /** Both together; negative is a debt. */
    total: z.int(),
    /** What can be spent now; never below zero. */
    available: z.int(),
    /** Reserved for requests that are under way. */
    held: z.int(),
    /** True when it is time to suggest a top-up; never for a payer that has not had credits yet. */
    low: z.boolean(),
    had_credits: z.boolean(),
  }),
  /**
   * The present month of the plan, or its trial; null without a live plan, and while its figures explain
   * nothing, as below zero after a clawback.
   */
  plan_month: z.nullable(
    z.object({
      /** Granted for it, less what refunds and disputes took back. */
      granted: z.int(),
      /** Of them; usage of earlier months whose money went back included. */
      used: z.int(),
      /** When what is left of it ends; null while that is not known, as during a renewal. */
      ends_at: z.nullable(z.iso.datetime()),
      /** Whether another month follows then, as far as the plan is not cancelled. */
      resets: z.boolean(),
    }),
  ),
  /** Credits of payments that were made and are not in the balance yet. */
  credits_on_the_way: z.int(),
  /** While the last paid period is over and the payment of the next is not known yet. */
  renewal: z.nullable(z.enum(renewals)),
  plan_type: planTypeSchema,
  /** Of every amount that is offered or charged. */
  currency: payerCurrencySchema,
  /** The live subscription, or the latest one that has ended. */
  subscription: z.nullable(accountSubscriptionSchema),
  /**
   * A payment of the plan that is overdue; null when none is. For callers who may not manage, all but
   * `needs_confirmation` is null.
   */
  overdue: z.nullable(
    z.object({
      /** The bank waits for the customer to confirm it (3D Secure): another card is not needed. */
      needs_confirmation: z.boolean(),
      /** Stripe's page on which it is confirmed or paid. */
      url: z.nullable(z.string()),
      /** In the subscription's currency. */
      amount_minor: z.nullable(z.int()),
      /** Why the bank declined it, e.g. `insufficient funds`; null where customers are not told. */
      decline_reason: z.nullable(z.string()),
      /** When the latest attempt was declined; null when none was. */
      declined_at: z.nullable(z.iso.datetime()),
      /** When Stripe tries again; null when it does not. */
      next_attempt_at: z.nullable(z.iso.datetime()),
    }),
  ),
  /** Open and failed payments of the last 30 days, newest first; empty for callers who may not manage. */
  payments: z.array(accountPaymentSchema),
  /** The product's time, by which the dates above are near or far. */
  as_of: z.iso.datetime(),
})
export type AccountSummary = z.infer<typeof accountSummarySchema>

export const getAccountSummary = endpoint({
  method: 'GET',
  path: '/api/account/summary',
  summary: 'Balance, credits on the way, plan and payments under way of the caller or of an organization',
  auth: 'user',
  limit: 'read',
  query: payerQuery,
  response: accountSummarySchema,
})

export const choosePayerCurrency = endpoint({
  method: 'POST',
  path: '/api/account/currency',
  summary: 'Choose what is charged in, as long as no plan decides it; for an organization, for its admins',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  body: z.strictObject({ currency: currencySchema }),
  response: z.object({ currency: payerCurrencySchema }),
})

const cardSchema = z.object({
  /** As Stripe spells it, e.g. `visa`. */
  brand: z.string(),
  last4: z.string(),
  exp_month: z.int(),
  exp_year: z.int(),
})
export type Card = z.infer<typeof cardSchema>

export const getNextPayment = endpoint({
  method: 'GET',
  path: '/api/account/next-payment',
  summary: 'The next payment of a plan and the card that it will be taken from, as Stripe has it; for admins',
  auth: 'user',
  limit: 'read',
  query: payerQuery,
  response: z.object({
    /** Null when nothing will be charged: without a plan, or when it is cancelled. */
    payment: z.nullable(
      z.object({
        amount_minor: z.int(),
        currency: currencySchema,
        /** Null for an overdue payment for which no other try is known. */
        at: z.nullable(z.iso.datetime()),
        /** It was tried and refused. */
        overdue: z.boolean(),
      }),
    ),
    /** The subscription's own, else the customer's default: the one that Stripe charges. */
    card: z.nullable(cardSchema),
    /** Whether the overdue payment was declined on that very card. */
    card_declined: z.boolean(),
  }),
})
export type NextPayment = z.infer<(typeof getNextPayment)['response']>

export const payOverdue = endpoint({
  method: 'POST',
  path: '/api/account/pay-overdue',
  summary: 'Charge the overdue payment of a plan to the card on file now; for admins',
  auth: 'user',
  limit: 'checkout',
  query: payerQuery,
  body: z.strictObject({}),
  /** The plan follows when Stripe's event has been applied. */
  response: z.object({ success: z.literal(true) }),
})

export const getOfferedCard = endpoint({
  method: 'GET',
  path: '/api/account/offered-card',
  summary: 'The saved card with which the payment page of credits begins; for admins',
  auth: 'user',
  limit: 'read',
  query: payerQuery,
  /** Null when the page asks for a card. */
  response: z.object({ card: z.nullable(cardSchema) }),
})
