import { expect, test } from 'vitest'
import type { CheckoutTerms } from '../../schema/billing/checkout/intents.ts'
import type { CheckoutSession } from '../../schema/vendors/stripe/events.ts'
import { PermanentError } from '../errors.ts'
import { decideCheckout, type FetchedSession } from './checkout.ts'

const intent: CheckoutTerms = {
  id: '0199f0a0-0000-7000-8000-000000000001',
  kind: 'credit_purchase',
  state: 'open',
  owner_id: 'user_a',
  credits: 500,
  amount_minor: 700,
  currency: 'EUR',
  stripe_invoice_id: null,
  stripe_session_id: 'cs_1',
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

const unpaid = { payment_status: 'unpaid' } as const
const nothing = { none: expect.any(String) }

test.each<[string, Partial<CheckoutTerms>, FetchedSession, object]>([
  [
    'a paid session settles an intent that is created',
    { state: 'created' },
    fetched({}),
    { state: 'settled' },
  ],
  ['a paid session settles an intent that is open', {}, fetched({}), { state: 'settled' }],
  [
    'a paid session settles an intent that waits for it',
    { state: 'awaiting_payment' },
    fetched({}),
    { state: 'settled' },
  ],
  [
    'a paid session settles an intent that has failed',
    { state: 'failed' },
    fetched({}),
    { state: 'settled' },
  ],
  [
    'a paid session settles an intent that has expired',
    { state: 'expired' },
    fetched({}),
    { state: 'settled' },
  ],
  ['a paid session does nothing to a settled intent', { state: 'settled' }, fetched({}), nothing],
  [
    'a paid session settles an intent whose session was not noted',
    { stripe_session_id: null, state: 'created' },
    fetched({}),
    { state: 'settled' },
  ],
  ['an unpaid session that is complete waits', {}, fetched(unpaid), { state: 'awaiting_payment' }],
  [
    'an unpaid session whose delayed payment failed, and wants another method, fails the intent',
    { state: 'awaiting_payment' },
    fetched(unpaid, 'requires_payment_method'),
    { state: 'failed', failure: { failure_code: 'payment_failed', failure_reason: 'payment_failed' } },
  ],
  ['an unpaid session does not bring back a failed intent', { state: 'failed' }, fetched(unpaid), nothing],
  ['an unpaid session that is open changes nothing', {}, fetched({ ...unpaid, status: 'open' }), nothing],
  [
    'an unpaid session that expires after it had failed leaves the reason',
    { state: 'failed' },
    fetched({ ...unpaid, status: 'expired' }),
    nothing,
  ],
  [
    'an unpaid session that expired expires the intent',
    {},
    fetched({ ...unpaid, status: 'expired' }),
    { state: 'expired' },
  ],
])('%s', (_, terms, found, decision) => {
  expect(decideCheckout({ ...intent, ...terms }, found)).toEqual(decision)
})

test.each<[string, Partial<CheckoutTerms>, Partial<CheckoutSession>]>([
  ['with another amount than the intent', {}, { amount_total: 699 }],
  ['without an amount', {}, { amount_total: null }],
  ['in another currency than the intent', {}, { currency: 'usd' }],
  ['of another session than the intent’s', {}, { id: 'cs_2' }],
  ['of a plan’s checkout, which is no subscription,', { kind: 'subscription' }, {}],
  ['that was completed without a payment', {}, { payment_status: 'no_payment_required' }],
])('a session %s grants nothing and is kept for a person', (_, terms, fields) => {
  expect(() => decideCheckout({ ...intent, ...terms }, fetched(fields))).toThrow(PermanentError)
})
