import { expect, test } from 'vitest'
import { cut, day, ownerFacts, period, subscription } from '../../../tests/support/facts.ts'
import { PaperBooks } from '../../../tests/support/paper-books.ts'
import { differenceOf } from './difference.ts'
import type { OwnerFacts, SubscriptionFact } from './facts.ts'
import { positionOf } from './position.ts'

const january = period('in_1', '2026-01-01', '2026-02-01')
const february = period('in_2', '2026-02-01', '2026-03-01')
const march = period('in_3', '2026-03-01', '2026-04-01')
const all = { refunded_minor: 2000 }
type Money = Parameters<typeof ownerFacts>[1]

const planOf = (months: readonly (typeof january)[], money?: Money, fields?: Partial<SubscriptionFact>) =>
  ownerFacts([subscription(months, fields)], money)

/** Reconciles the books with the facts of each step; `use` spends before the next one. */
function tell(steps: readonly { facts: OwnerFacts; now: string; use?: number }[]) {
  const books = new PaperBooks()
  const posted = steps.map(({ facts, now, use }) => {
    const { transfers } = books.reconcile(facts, day(now))
    if (use) expect(books.use(use)).toBe(true)
    return transfers.map(({ grant, component, credits }) => [grant.kind, component, credits])
  })
  return { books, posted, last: posted.at(-1), ...books.balances() }
}

test('the difference is the missing entries, and nothing once they are posted', () => {
  const steps = [{ facts: planOf([january]), now: '2026-01-02' }]
  expect(tell([...steps, ...steps]).posted).toEqual([[['month', 'gross', 500]], []])
})

test('the difference grants and expires a month at once when it was over before we learned of it', () => {
  const { last, plan, books } = tell([{ facts: planOf([january, february]), now: '2026-02-02' }])
  expect(last).toEqual([
    ['month', 'gross', 500],
    ['month', 'gross', 500],
    ['month', 'expired', -500],
  ])
  expect(plan).toBe(500)
  expect(books.read().closed_months).toMatchObject([{ starts_at: day('2026-01-01'), used: 0 }])
})

test('the difference numbers the transfers of a grant on from those it has', () => {
  const books = new PaperBooks()
  books.reconcile(planOf([january]), day('2026-01-02'))
  const next = books.reconcile(planOf([january, february], { in_1: all }), day('2026-02-02'))
  expect(next.transfers.map(({ grant, ordinal }) => [grant.stripe_invoice_id, ordinal])).toEqual([
    ['in_1', 2],
    ['in_2', 1],
  ])
  const again = books.reconcile(planOf([january, february]), day('2026-02-02'))
  expect(again.transfers.map(({ component, ordinal }) => [component, ordinal])).toEqual([
    ['refunded', 3],
    ['expired', 4],
  ])
})

test('the difference claws back a grant that the facts no longer contain, and reopens the month before it', () => {
  const { plan, last } = tell([
    { facts: planOf([january, february]), now: '2026-02-02' },
    { facts: planOf([january]), now: '2026-02-02' },
  ])
  expect(last).toEqual([
    ['month', 'gross', -500],
    ['month', 'expired', 500],
  ])
  expect(plan).toBe(500)
})

test('the difference moves a month to the invoice that replaced it in the same second, with everything that was closed of it', () => {
  const instead = { ...february, invoice_id: 'in_4', paid_at: day('2026-02-01T00:00:01') }
  const back = cut('in_4', '2026-02-01', '2026-03-01', { paid_at: instead.paid_at })
  const over = { ended_at: day('2026-02-20') }
  const { plan, books } = tell([
    { facts: planOf([january, february], undefined, over), now: '2026-02-21' },
    { facts: planOf([january, february, back, instead], undefined, over), now: '2026-02-21' },
  ])
  expect(plan).toBe(0)
  expect(
    books.read().grants.map(({ stripe_invoice_id, gross, expired }) => [stripe_invoice_id, gross, expired]),
  ).toEqual([
    ['in_1', 500, -500],
    ['in_2', 0, 0],
    ['in_4', 500, -500],
  ])
})

test('the difference leaves adjustments alone', () => {
  const books = new PaperBooks()
  books.reconcile(planOf([january]), day('2026-01-02'))
  const { grants, ...others } = books.read()
  const strangers = grants.flatMap((grant) =>
    (['adjustment'] as const).map((kind) => ({
      ...grant,
      id: `${kind}/user/user_a/plan`,
      kind,
      gross: 70,
      refunded: 20,
      adjusted: 30,
      month_starts_at: null,
      stripe_subscription_id: null,
    })),
  )
  const all = { ...others, grants: [...grants, ...strangers] }
  const position = positionOf(planOf([january]), day('2026-01-02'), all)
  expect(differenceOf(position, all, []).transfers).toEqual([])
})

const renewed = (money?: Money) => ({ facts: planOf([january, february], money), now: '2026-02-02' })
const bought = (use = 0) => ({ facts: planOf([january]), now: '2026-01-02', use })

test('a month that is over lets its unused credits expire', () => {
  expect(tell([bought(200), renewed()])).toMatchObject({
    plan: 500,
    last: [
      ['month', 'gross', 500],
      ['month', 'expired', -300],
    ],
  })
})

test('a refund of a month that is over takes its used credits from the next month', () => {
  expect(tell([bought(300), renewed(), renewed({ in_1: all })])).toMatchObject({ plan: 200 })
  expect(tell([bought(0), renewed(), renewed({ in_1: all })])).toMatchObject({ plan: 500 })
})

test('a month that is over gets back its clawback when a dispute is won, and lets it expire', () => {
  const held = { in_1: { disputed_minor: 2000 } }
  expect(tell([bought(300), renewed(held), renewed()])).toMatchObject({ plan: 500 })
})

test('a month that is over is closed once: later usage belongs to the next month', () => {
  const later = { facts: planOf([january, february, march]), now: '2026-03-02' }
  const { books } = tell([bought(200), { ...renewed(), use: 450 }, later])
  expect(books.read().closed_months.map(({ used }) => used)).toEqual([200, 450])
})

test('a month that is over has its usage counted once, though several months begin before the next run', () => {
  const { books, plan } = tell([
    bought(200),
    { facts: planOf([january, february, march]), now: '2026-03-02' },
  ])
  expect(books.read().closed_months.map(({ used }) => used)).toEqual([200, 0])
  expect(plan).toBe(500)
})

test('a month that is over pays an earlier month’s debt before its rest expires, and so does the one after it', () => {
  const later = { facts: planOf([january, february, march], { in_1: all }), now: '2026-03-02' }
  const steps = [bought(500), renewed({ in_1: all })]
  expect(tell(steps).plan).toBe(0)
  expect(tell([...steps, later])).toMatchObject({ plan: 500, last: [['month', 'gross', 500]] })
  // Had it used some, so much of the debt would be left.
  const half = {
    facts: planOf([january, february], { in_1: { refunded_minor: 1000 } }),
    now: '2026-02-02',
    use: 100,
  }
  expect(
    tell([
      bought(500),
      half,
      { ...later, facts: planOf([january, february, march], { in_1: { refunded_minor: 1000 } }) },
    ]),
  ).toMatchObject({
    plan: 500,
    last: [
      ['month', 'gross', 500],
      ['month', 'expired', -150],
    ],
  })
})

test('a month that is over takes an expiry partly back when its rest turns out to have paid a debt', () => {
  const inMarch = (money?: Money) => ({
    facts: planOf([january, february, march], money),
    now: '2026-03-02',
  })
  const { last, plan } = tell([bought(300), renewed(), inMarch(), inMarch({ in_1: all })])
  // January: 200 had expired, 300 are owed; February's 500 pay them, and 200 expire.
  expect(last).toEqual([
    ['month', 'refunded', -500],
    ['month', 'expired', 200],
    ['month', 'expired', 300],
  ])
  expect(plan).toBe(500)
})

const ended = { ended_at: day('2026-01-20') }
const another = (money?: Money) =>
  ownerFacts(
    [
      subscription([january], ended),
      subscription([period('in_9', '2026-05-01', '2026-06-01')], { id: 'sub_2', ended_at: null }),
    ],
    money,
  )

test('a plan that has ended has nothing left, and owes credits that were used and refunded', () => {
  const over = (use: number, money?: Money) =>
    tell([bought(use), { facts: planOf([january], money, ended), now: '2026-02-02' }]).plan
  expect(over(0)).toBe(0)
  expect(over(200)).toBe(0)
  expect(over(200, { in_1: all })).toBe(-200)
  expect(over(0, { in_1: all })).toBe(0)
})

test('a plan that has ended passes its debt to no later plan: it is written off when that begins', () => {
  const owing = { facts: planOf([january], { in_1: all }, ended), now: '2026-02-02' }
  expect(tell([bought(200), owing, { facts: another({ in_1: all }), now: '2026-05-02' }])).toMatchObject({
    plan: 500,
    last: [
      ['month', 'gross', 500],
      ['month', 'written_off', 200],
    ],
  })
})

test('a plan that has ended leaves the debts of all its months, written off once', () => {
  const both = { in_1: all, in_2: all }
  const over = { ended_at: day('2026-02-20') }
  const later = subscription([period('in_9', '2026-05-01', '2026-06-01')], { id: 'sub_2' })
  const owing = { facts: planOf([january, february], both, over), now: '2026-02-21' }
  const steps = [bought(300), { facts: planOf([january, february]), now: '2026-02-02', use: 100 }, owing]
  expect(tell(steps).plan).toBe(-400)
  const facts = ownerFacts([subscription([january, february], over), later], both)
  expect(tell([...steps, { facts, now: '2026-05-02' }]).plan).toBe(500)
})

test('a refund of a plan that has ended takes nothing from a later plan', () => {
  const steps = [bought(200), { facts: another(), now: '2026-05-02' }]
  expect(tell([...steps, { facts: another({ in_1: all }), now: '2026-05-03' }])).toMatchObject({
    plan: 500,
  })
  const held = { in_1: { disputed_minor: 2000 } }
  expect(
    tell([...steps, { facts: another(held), now: '2026-05-03' }, { facts: another(), now: '2026-05-04' }])
      .plan,
  ).toBe(500)
})

test('the ended plan is the earlier of two that began in one second', () => {
  const again = subscription([{ ...january, invoice_id: 'in_0' }], { id: 'sub_0' })
  const first = subscription([january], { ended_at: day('2026-01-20') })
  const steps = [bought(200), { facts: planOf([january], { in_1: all }, ended), now: '2026-02-02' }]
  for (const both of [
    [again, first],
    [first, again],
  ]) {
    expect(tell([...steps, { facts: ownerFacts(both, { in_1: all }), now: '2026-02-02' }]).plan).toBe(500)
  }
})

test('a plan that has ended keeps its debt while the later plan is unpaid', () => {
  const unpaid = ownerFacts([subscription([january], ended), subscription([], { id: 'sub_2' })], {
    in_1: all,
  })
  expect(tell([bought(200), { facts: unpaid, now: '2026-05-02' }]).plan).toBe(-200)
})

test('a plan that has ended grants bought credits for a last invoice paid after its end, whatever was used', () => {
  const late = { ...february, paid_at: day('2026-02-25') }
  const facts = planOf([january, late], undefined, { ended_at: day('2026-02-20') })
  for (const use of [0, 500]) {
    expect(tell([bought(use), { facts, now: '2026-02-25' }])).toMatchObject({ plan: 0, purchased: 500 })
  }
})
