import { describe, expect, test } from 'vitest'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { CheckoutSession } from '../../schema/vendors/stripe/events.ts'
import { PermanentError } from '../errors.ts'
import { decideCheckout, type FetchedSession } from './checkout.ts'

const intent: CheckoutIntent = {
  id: '0199f0a0-0000-7000-8000-000000000001',
  kind: 'credit_purchase',
  offer_id: 1,
  quantity: 500,
  user_id: 'user_a',
  owner_id: 'user_a',
  credits: 500,
  amount_minor: 700,
  currency: 'EUR',
  state: 'open',
  failure_code: null,
  failure_reason: null,
  plan_type: null,
  billing_frequency: null,
  seats: null,
  credits_per_seat: null,
  trial_days: 0,
  stripe_customer_id: null,
  stripe_invoice_id: null,
  stripe_session_id: 'cs_1',
  created_at: new Date(0),
  updated_at: new Date(0),
  settled_at: null,
  next_try_at: new Date(0),
  claims: 0,
  attempts: 0,
  last_error: null,
  unavailable_since: null,
  session_params: null,
  organization_name: null,
  ends_subscription_id: null,
  is_unfinished: true,
  livemode: false,
}

const session: CheckoutSession = {
  id: 'cs_1',
  object: 'checkout.session',
  status: 'complete',
  payment_status: 'paid',
  amount_total: 700,
  currency: 'eur',
  client_reference_id: intent.id,
  mode: 'payment',
  metadata: { intentId: intent.id },
  created: 1,
}

function fetched(
  fields: Partial<CheckoutSession>,
  payment_intent_status: string | null = null,
): FetchedSession {
  return { session: { ...session, ...fields }, payment_intent_status }
}

describe('a paid session', () => {
  test.each(['created', 'open', 'awaiting_payment', 'failed', 'expired'] as const)(
    'settles an intent that is %s',
    (state) => {
      expect(decideCheckout({ ...intent, state }, fetched({}))).toEqual({ action: 'settle' })
    },
  )
  test('a paid session does nothing to a settled intent', () => {
    expect(decideCheckout({ ...intent, state: 'settled' }, fetched({})).action).toBe('none')
  })
  test('a paid session of an intent whose session was not noted settles it', () => {
    expect(decideCheckout({ ...intent, stripe_session_id: null, state: 'created' }, fetched({})).action).toBe(
      'settle',
    )
  })
  test.each([
    ['amount', { amount_total: 699 }],
    ['missing amount', { amount_total: null }],
    ['currency', { currency: 'usd' }],
    ['session', { id: 'cs_2' }],
  ])('a session with another %s than the intent grants nothing and is kept for a person', (_, fields) => {
    expect(() => decideCheckout(intent, fetched(fields))).toThrow(PermanentError)
  })
})

describe('a session that was completed without a payment', () => {
  test('a session that was completed without a payment grants nothing and is kept for a person', () => {
    expect(() => decideCheckout(intent, fetched({ payment_status: 'no_payment_required' }))).toThrow(
      /completed without a payment/,
    )
  })
})

test('a paid session of a plan’s checkout that is no subscription is kept for a person', () => {
  expect(() => decideCheckout({ ...intent, kind: 'subscription' }, fetched({}))).toThrow(PermanentError)
})

describe('an unpaid session', () => {
  test('an unpaid session that is complete waits for the payment', () => {
    expect(decideCheckout(intent, fetched({ payment_status: 'unpaid' })).action).toBe('await_payment')
  })
  test('an unpaid session whose delayed payment failed, and wants another method, fails the intent', () => {
    const failed = fetched({ payment_status: 'unpaid' }, 'requires_payment_method')
    expect(decideCheckout({ ...intent, state: 'awaiting_payment' }, failed).action).toBe('fail')
  })
  test('an unpaid session does not bring back an intent that has failed', () => {
    const late = fetched({ payment_status: 'unpaid' })
    expect(decideCheckout({ ...intent, state: 'failed' }, late).action).toBe('none')
  })
  test('an unpaid session that is open changes nothing', () => {
    expect(decideCheckout(intent, fetched({ status: 'open', payment_status: 'unpaid' })).action).toBe('none')
  })
  test('an unpaid session that expires after it had failed leaves the reason', () => {
    const expired = fetched({ status: 'expired', payment_status: 'unpaid' })
    expect(decideCheckout({ ...intent, state: 'failed' }, expired).action).toBe('none')
  })
  test('an unpaid session that expired expires the intent', () => {
    expect(decideCheckout(intent, fetched({ status: 'expired', payment_status: 'unpaid' })).action).toBe(
      'expire',
    )
  })
})
