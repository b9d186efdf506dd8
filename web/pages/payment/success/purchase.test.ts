import { describe, expect, it } from 'vitest'
import type { getSessionStatus } from '../../../../schema/api/checkout.ts'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import { ApiFailure } from '../../../api/failure.ts'
import { nextPollMs, planCheckoutPath, purchasedPlan, purchaseProgress } from './purchase.ts'

type Status = ResponseOf<typeof getSessionStatus>['data']

const minuteMs = 60_000

function status(
  change: Partial<Omit<Status, 'fulfilment'>> & { state?: Status['fulfilment']['state'] } = {},
): Status {
  const { state = 'pending', ...rest } = change
  return {
    status: 'complete',
    payment_status: 'paid',
    amount_total: 700,
    currency: 'EUR',
    price_minor: 700,
    customer_email: null,
    subscription_id: null,
    metadata: {},
    fulfilment: { state, credits: 500, balance: 640, available: 640, held: 0, applied_at: null },
    ...rest,
  }
}

const at = (elapsed_ms: number, seen: Status | undefined, error: unknown = null) =>
  purchaseProgress({ status: seen, error, elapsed_ms })

const failureOf = (code: number) => new ApiFailure({ status: code, code: 'x', text: null })

describe('purchaseProgress', () => {
  // What Stripe calls paid is no success until the ledger has it.
  it.each([
    [undefined, null, 'verifying'],
    [undefined, failureOf(404), 'not_found'],
    [undefined, failureOf(503), 'unverified'],
    [status({ payment_status: 'paid' }), null, 'paid'],
    [status({ payment_status: 'no_payment_required' }), null, 'paid'],
    [status({ payment_status: 'unpaid' }), null, 'bank_pending'],
    [status({ status: 'open', payment_status: 'unpaid' }), null, 'not_paid'],
    [status({ payment_status: 'unpaid', state: 'failed' }), null, 'failed'],
    [status({ status: 'expired', payment_status: 'unpaid', state: 'expired' }), null, 'expired'],
    [status({ status: 'expired', payment_status: 'unpaid' }), null, 'expired'],
    [status({ state: 'applied' }), new Error('offline'), 'applied'],
  ])('a purchase with the status %j and the error %s is %s', (seen, error, kind) => {
    expect(at(0, seen, error).kind).toBe(kind)
  })

  it('purchaseProgress succeeds with the ledger’s numbers', () => {
    expect(at(0, status({ state: 'applied' }))).toEqual({
      kind: 'applied',
      credits: 500,
      balance: { total: 640, available: 640, held: 0 },
      amount_minor: 700,
      currency: 'EUR',
    })
  })

  it('purchaseProgress says how far a paid purchase has come, and is overdue after ten minutes', () => {
    const queued = { ...status(), fulfilment: { ...status().fulfilment, stage: 'queued' as const } }
    expect(at(0, queued)).toEqual({ kind: 'paid', pace: 'usual', stage: 'queued' })
    expect(at(15_000, status())).toEqual({ kind: 'paid', pace: 'slow' })
    expect(at(10 * minuteMs, status())).toEqual({ kind: 'paid', pace: 'overdue' })
  })
})

describe('nextPollMs', () => {
  const paid = at(0, status())

  it('polls every second at first, then more slowly, down to every twenty seconds', () => {
    expect([0, 8000, 80_000, 5 * minuteMs].map((elapsed_ms) => nextPollMs(paid, elapsed_ms))).toEqual([
      1000, 1000, 10_000, 20_000,
    ])
  })

  it('nextPollMs stops after ten minutes', () => {
    expect(nextPollMs(paid, 10 * minuteMs)).toBe(false)
  })

  it.each([status({ state: 'applied' }), status({ state: 'failed' }), status({ state: 'expired' })])(
    'stops at a final answer',
    (seen) => {
      expect(nextPollMs(at(0, seen), 0)).toBe(false)
    },
  )

  it('nextPollMs does not poll again for a session that does not exist', () => {
    const progress = at(0, undefined, failureOf(404))
    expect(nextPollMs(progress, 0)).toBe(false)
  })

  it('nextPollMs keeps polling while the bank confirms and while the server does not answer', () => {
    expect(nextPollMs(at(0, status({ payment_status: 'unpaid' })), 0)).toBe(1000)
    expect(nextPollMs(at(0, undefined, new Error('offline')), 0)).toBe(1000)
  })
})

const plan = { planType: 'teams', billingFrequency: 'yearly', seats: '3', credits: '1500' }
const planStatus = (change: Parameters<typeof status>[0] = {}) =>
  status({
    amount_total: 9000,
    price_minor: 86_400,
    currency: 'GBP',
    subscription_id: 'sub_1',
    metadata: plan,
    ...change,
  })

describe('purchasedPlan', () => {
  it('purchasedPlan reads the plan from the session’s metadata', () => {
    expect(purchasedPlan(planStatus())).toEqual({
      plan_type: 'teams',
      billing: 'yearly',
      seats: 3,
      currency: 'GBP',
      price_minor: 86_400,
      trial: false,
    })
  })

  it('purchasedPlan treats a session with neither a plan nor a subscription as a purchase of credits', () => {
    expect(purchasedPlan(planStatus({ subscription_id: null, metadata: { credits: '500' } }))).toBeNull()
  })

  it('defaults a subscription without plan metadata to Pro, monthly, one seat', () => {
    expect(purchasedPlan(planStatus({ metadata: {} }))).toMatchObject({
      plan_type: 'pro',
      billing: 'monthly',
      seats: 1,
    })
  })

  it.each(['', '0', '-2', '2.5', 'many'])('purchasedPlan reads "%s" seats as one', (seats) => {
    expect(purchasedPlan(planStatus({ metadata: { planType: 'teams', seats } }))?.seats).toBe(1)
  })

  it('purchasedPlan calls it a trial only when no payment was required', () => {
    expect(purchasedPlan(planStatus({ payment_status: 'no_payment_required' }))?.trial).toBe(true)
    expect(purchasedPlan(planStatus({ payment_status: 'unpaid' }))?.trial).toBe(false)
  })
})

it('the page of success knows the day of the first charge when the trial has begun', () => {
  const trial_ends_at = '2026-05-15T00:00:00.000Z'
  expect(purchasedPlan(planStatus({ trial_ends_at }))?.trial_ends_at).toBe(trial_ends_at)
})

it('the way back returns to the same order', () => {
  const bought = purchasedPlan(planStatus())
  expect(bought && planCheckoutPath(bought)).toBe(
    '/auth/post-signup?plan=teams&billing=yearly&currency=GBP&seats=3',
  )
})
