import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { day, ownerFacts, period, seats, subscription } from '../../../tests/support/facts.ts'
import type { MoneyBack } from './facts.ts'
import { type GrantDue, positionOf } from './position.ts'

const january = period('in_1', '2026-01-01', '2026-02-01')
const now = day('2026-01-15')
const dueOf = ({ gross, refunded, disputed }: Pick<GrantDue, 'gross' | 'refunded' | 'disputed'>) =>
  gross - refunded - disputed

function purchase(money: Partial<MoneyBack>, credits = 500): GrantDue {
  const back = { total_minor: 700, refunded_minor: 0, disputed_minor: 0, ...money }
  const { grants } = positionOf(
    { ...ownerFacts([]), purchases: [{ intent_id: 'intent', credits, money: back }] },
    now,
  )
  return grants[0] as GrantDue
}

test('a purchase is one grant of the purchased account that never ends', () => {
  expect(purchase({})).toMatchObject({
    id: 'purchase/intent',
    kind: 'purchase',
    account: 'purchased',
    owner_id: 'user_a',
    intent_id: 'intent',
    month_starts_at: null,
    ends_at: null,
    gross: 500,
  })
})

test.each([
  [0, 0, 0, 0],
  [700, 0, 500, 0],
  [350, 0, 250, 0],
  [1, 0, 0, 0],
  [699, 0, 499, 0],
  [0, 700, 0, 500],
  [350, 350, 250, 250],
  [350, 700, 250, 250],
])(
  'a clawback of 500 credits for 7.00 with %i refunded and %i disputed is %i and %i',
  (refunded, disputed, a, b) => {
    expect(purchase({ refunded_minor: refunded, disputed_minor: disputed })).toMatchObject({
      gross: 500,
      refunded: a,
      disputed: b,
    })
  },
)

test('a clawback is never negative, never more than was granted, and all of it when all the money is returned', () => {
  const amounts = fc.record({
    total_minor: fc.integer({ min: 1, max: 100_000 }),
    refunded_minor: fc.nat(200_000),
    disputed_minor: fc.nat(200_000),
  })
  fc.assert(
    fc.property(amounts, fc.nat(71_428), (money, credits) => {
      const { refunded, disputed } = purchase(money, credits)
      expect(refunded).toBeGreaterThanOrEqual(0)
      expect(disputed).toBeGreaterThanOrEqual(0)
      expect(refunded + disputed).toBeLessThanOrEqual(credits)
      const isAllGone = money.refunded_minor + money.disputed_minor >= money.total_minor
      if (isAllGone) expect(refunded + disputed).toBe(credits)
    }),
  )
})

test('a clawback of an invoice that cost nothing is nothing', () => {
  const facts = ownerFacts([subscription([january])], { in_1: { total_minor: 0, refunded_minor: 100 } })
  expect(positionOf(facts, now).grants.map(dueOf)).toEqual([500])
})

const added = seats('in_2', ['2026-01-11', '2026-02-01'], [1, 4])

test('the grants of a plan are one a month and one for seats added in it, each named after its invoice and month', () => {
  const { grants, months } = positionOf(ownerFacts([subscription([january, added])]), now)
  expect(grants).toMatchObject([
    { id: `month/in_1/${day('2026-01-01').getTime() / 1000}`, kind: 'month', account: 'plan', gross: 500 },
    {
      id: `seats/in_2/${day('2026-01-01').getTime() / 1000}`,
      kind: 'seats',
      account: 'plan',
      month_starts_at: day('2026-01-01'),
      starts_at: day('2026-01-11'),
      ends_at: day('2026-02-01'),
      gross: Math.floor((1500 * 21) / 31),
    },
  ])
  expect(months).toEqual([
    {
      stripe_subscription_id: 'sub_1',
      starts_at: day('2026-01-01'),
      usage_from: day('2026-01-01'),
      usage_until: day('2026-02-01'),
      is_over: false,
    },
  ])
})

test('the grants of a plan lose in proportion to the refund of their own invoice', () => {
  const facts = ownerFacts([subscription([january, added])], { in_2: { refunded_minor: 1000 } })
  const gross = Math.floor((1500 * 21) / 31)
  expect(positionOf(facts, now).grants.map(dueOf)).toEqual([500, gross - Math.floor(gross / 2)])
})

test('the grants of a year lose in every month, past or to come, each rounded by itself', () => {
  const year = period('in_1', '2026-01-01', '2027-01-01')
  const facts = ownerFacts([subscription([year])], { in_1: { total_minor: 3, refunded_minor: 1 } })
  expect(positionOf(facts, day('2026-03-15')).grants.map(dueOf)).toEqual([334, 334, 334])
})

test('the grants of a late payment are bought credits, one grant an invoice', () => {
  const late = { ...january, paid_at: day('2026-02-03') }
  const facts = ownerFacts([subscription([late])], { in_1: { disputed_minor: 2000 } })
  const { grants, months } = positionOf(facts, day('2026-02-03'))
  expect(grants).toMatchObject([
    { kind: 'late_month', account: 'purchased', month_starts_at: null, gross: 500, disputed: 500 },
  ])
  expect(months).toEqual([])
})

test('the grants of an invoice line that a yearly plan’s change left are paid once, in the month and in the late grant together', () => {
  // One invoice pays for seats of the period before it, too late, and for the period that begins.
  const renewal = period('in_2', '2026-02-01', '2026-03-01', { seats: 3 })
  const waiting = seats('in_2', ['2026-01-01', '2026-02-01'], [1, 3], { paid_at: day('2026-02-01') })
  const { grants } = positionOf(ownerFacts([subscription([january, waiting, renewal])]), day('2026-02-02'))
  expect(grants.map(({ kind, gross }) => [kind, gross])).toEqual([
    ['month', 500],
    ['month', 1500],
    ['late_month', 1000],
  ])
  expect(new Set(grants.map(({ id }) => id)).size).toBe(3)
})
