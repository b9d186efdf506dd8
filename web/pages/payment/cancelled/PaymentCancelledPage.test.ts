import { expect, test } from 'vitest'
import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { describeOrder } from './PaymentCancelledPage.tsx'

const order: OpenCheckout = {
  sessionId: 'cs_test_1',
  url: 'https://checkout.stripe.com/c/pay/cs_test_1',
  planType: null,
  billingFrequency: null,
  seats: 1,
  credits: 1500,
  amount_minor: 2100,
  currency: 'EUR',
  trial_days: 0,
}

test.each<[string, Partial<OpenCheckout>, { title: string; price: string }]>([
  ['credits', {}, { title: '1,500 credits', price: '€21.00' }],
  [
    'a plan',
    { planType: 'pro', billingFrequency: 'monthly', amount_minor: 2000 },
    { title: 'Pro', price: '€20.00 per month' },
  ],
  [
    'a plan with a trial',
    { planType: 'pro', billingFrequency: 'yearly', amount_minor: 19_200, trial_days: 14 },
    { title: 'Pro', price: '14 days free, then €192.00 per year' },
  ],
  [
    'a plan with one seat',
    { planType: 'teams', billingFrequency: 'monthly', amount_minor: 4000 },
    { title: 'Teams, 1 seat', price: '€40.00 per month' },
  ],
  [
    'a plan with several seats',
    { planType: 'teams', billingFrequency: 'monthly', seats: 5, amount_minor: 20_000 },
    { title: 'Teams, 5 seats', price: '€200.00 per month' },
  ],
])('an order of %s is described by what it is and what it costs', (_what, change, text) => {
  expect(describeOrder({ ...order, ...change })).toEqual(text)
})
