import { describe, expect, it } from 'vitest'
import { planCheckoutPath, purchasedPlan } from './plan.ts'

type Status = Parameters<typeof purchasedPlan>[0]

function status(change: Partial<Status> = {}): Status {
  return {
    status: 'complete',
    payment_status: 'paid',
    amount_total: 9000,
    currency: 'GBP',
    price_minor: 86_400,
    customer_email: null,
    subscription_id: 'sub_1',
    metadata: { planType: 'teams', billingFrequency: 'yearly', seats: '3', credits: '1500' },
    fulfilment: { state: 'pending', credits: 1500, balance: 0, available: 0, held: 0, applied_at: null },
    ...change,
  }
}

describe('purchasedPlan', () => {
  it('purchasedPlan reads the plan from the session’s metadata', () => {
    expect(purchasedPlan(status())).toEqual({
      plan_type: 'teams',
      billing: 'yearly',
      seats: 3,
      currency: 'GBP',
      price_minor: 86_400,
      trial: false,
    })
  })

  it('purchasedPlan treats a session with neither a plan nor a subscription as a purchase of credits', () => {
    expect(purchasedPlan(status({ subscription_id: null, metadata: { credits: '500' } }))).toBeNull()
  })

  it('defaults a subscription without plan metadata to Pro, monthly, one seat', () => {
    expect(purchasedPlan(status({ metadata: {} }))).toMatchObject({
      plan_type: 'pro',
      billing: 'monthly',
      seats: 1,
    })
  })

  it.each(['', '0', '-2', '2.5', 'many'])('purchasedPlan reads "%s" seats as one', (seats) => {
    expect(purchasedPlan(status({ metadata: { planType: 'teams', seats } }))?.seats).toBe(1)
  })

  it('purchasedPlan calls it a trial only when no payment was required', () => {
    expect(purchasedPlan(status({ payment_status: 'no_payment_required' }))?.trial).toBe(true)
    expect(purchasedPlan(status({ payment_status: 'unpaid' }))?.trial).toBe(false)
  })
})

it('the page of success knows the day of the first charge when the trial has begun', () => {
  const trial_ends_at = '2026-05-15T00:00:00.000Z'
  expect(purchasedPlan(status({ trial_ends_at }))?.trial_ends_at).toBe(trial_ends_at)
})

it('the way back returns to the same order', () => {
  const plan = purchasedPlan(status())
  expect(plan && planCheckoutPath(plan)).toBe(
    '/auth/post-signup?plan=teams&billing=yearly&currency=GBP&seats=3',
  )
})
