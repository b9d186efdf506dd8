import { expect, test } from 'vitest'
import { consequences } from './EndOwnPlan.tsx'

const paid = {
  plan_type: 'pro',
  is_trial: false,
  is_disputed: false,
  refund_minor: 1234,
  currency: 'EUR',
  credits: 310,
} as const

test.each([
  [{}, /^About €12\.34 goes back to your card for the unused part of Pro\. 310 unused Pro credits expire\./],
  [{ credits: 1 }, /1 unused Pro credit expires\./],
  [{ is_trial: true, refund_minor: 0 }, /^Your trial ends, and Pro is never charged\. 310 unused/],
  [{ is_disputed: true, refund_minor: 0 }, /^Nothing is refunded, because a payment for Pro is disputed\./],
  [
    { refund_minor: 0, credits: -20 },
    /^Nothing is refunded, because no paid part of Pro is unused\. Credits you bought/,
  ],
])('the end of a plan %j says what goes back, what expires and what stays', (changes, text) => {
  const said = consequences({ ...paid, ...changes }).join(' ')
  expect(said).toMatch(text)
  expect(said).toMatch(
    /Credits you bought stay in your own account\. Pro does not come back if Teams is refunded later\.$/,
  )
})
