import { describe, expect, test } from 'vitest'
import {
  belongings,
  givenForUnused,
  type Life,
  monthBegunAt,
  nothingReserved,
  openMonth,
  type Payment,
  type Period,
  type Subscription,
  spend,
  type Usage,
} from './model.ts'

const day = 86_400
/** 1 June, a month of thirty days. */
const june = Date.UTC(2026, 5, 1) / 1000
const july = june + 30 * day

function paid(id: string, fields: Partial<Payment> = {}): Payment {
  const money = {
    taken_back: 0,
    disputed: 0,
    given_for_unused: 0,
    refunded_before: 0,
    charged: fields.total ?? 2000,
  }
  return { id, total: 2000, paid_at: june, ...money, ...fields }
}

function period(fields: Partial<Period> = {}): Period {
  return {
    kind: 'month',
    starts_at: june,
    ends_at: july,
    given_back_from: null,
    seats: 1,
    payment: paid('in_1'),
    ...fields,
  }
}

function life(subscription: Partial<Subscription>, fields: Partial<Life> = {}): Life {
  const plan: Subscription = {
    session: 'cs_1',
    plan_type: 'teams',
    seats_now: 1,
    ended_at: null,
    lapses_at: null,
    periods: [period()],
    seat_changes: [],
    ...subscription,
  }
  const rest = { usages: [], adjustments: [], reserved: nothingReserved, colleagues: null, teams: [] }
  return { purchases: [], subscriptions: [plan], ...rest, ...fields }
}

/** Worked out by hand from decision 054. */
describe('what the model gives back for the unused part of a plan that Teams takes the place of', () => {
  const used = (plan: number) => [{ at: null, month: 'in_1/0', plan, purchased: 0 }]
  const endedAfter = (days: number) => ({ ended_at: june + days * day })

  test.each([
    ['the time, where fewer credits were used', 100, 15, {}, 1000],
    ['the credits, where more were used than time has passed', 400, 3, {}, 400],
    ['nothing, where all is used', 500, 3, {}, 0],
    ['nothing with a dispute', 0, 15, { taken_back: 2000, disputed: 2000 }, 0],
    ['of the money that is left after a refund', 0, 15, { taken_back: 1000 }, 500],
    ['no more than was charged', 0, 3, { charged: 700 }, 700],
  ])('the model gives back %s', (_, plan, days, money, given) => {
    const payment = paid('in_1', money)
    const ended = life({ ...endedAfter(days), periods: [period({ payment })] }, { usages: used(plan) })
    expect(givenForUnused(ended, july)).toBe(given)
  })

  test('the model gives back the months of a year that have not begun', () => {
    const year = period({
      kind: 'year',
      ends_at: Date.UTC(2027, 5, 1) / 1000,
      payment: paid('in_1', { total: 12_000 }),
    })
    const ended = life({ ...endedAfter(3), periods: [year] }, { usages: used(500) })
    expect(givenForUnused(ended, july)).toBe(11_000)
  })

  test('the model gives back nothing of a trial, and nothing while the plan lives', () => {
    const trial = period({ kind: 'trial', payment: paid('in_1', { total: 0 }) })
    expect(givenForUnused(life({ ...endedAfter(3), periods: [trial] }), july)).toBe(0)
    expect(givenForUnused(life({}), july)).toBe(0)
  })

  test('the model takes no more for an earlier refund when the unused part is given back', () => {
    const payment = paid('in_1', { given_for_unused: 700, taken_back: 600, refunded_before: 600 })
    const ended = life({ ...endedAfter(15), periods: [period({ payment })] }, { usages: used(350) })
    expect(belongings(ended, july).plan).toBe(0)
  })

  test('the model takes what was given back for the unused part from the price', () => {
    const payment = paid('in_1', { given_for_unused: 1000, taken_back: 1000 })
    const ended = life({ ...endedAfter(15), periods: [period({ payment })] }, { usages: used(250) })
    expect(belongings(ended, july).plan).toBe(-250)
  })
})

/** Worked out by hand from the rules. */
describe('the model', () => {
  test('the model lets unused credits of a month expire when the next one has begun', () => {
    const lived = life(
      { periods: [period(), period({ starts_at: july, ends_at: july + 31 * day, payment: paid('in_2') })] },
      { usages: [{ at: null, month: 'in_1/0', plan: 300, purchased: 0 }] },
    )
    expect(belongings(lived, july - 1)).toMatchObject({ plan: 200, plan_type: 'teams', seats_total: 1 })
    expect(belongings(lived, july)).toMatchObject({ plan: 500 })
    expect(openMonth(lived, july)).toMatchObject({ name: 'in_2/0', starts_at: july })
    expect(monthBegunAt(lived, june, july)).toMatchObject({ name: 'in_1/0' })
    expect(monthBegunAt(lived, june + 1, july)).toBeUndefined()
  })

  test('the model lets a month pay for what was used since its start, though it was known later', () => {
    const periods = [period(), period({ starts_at: july, ends_at: july + 31 * day, payment: paid('in_2') })]
    const before = { at: july - day, month: 'in_1/0', plan: 440, purchased: 0 }
    const since = { at: july + 60, month: 'in_1/0', plan: 60, purchased: 40 }
    const bought = { session: 'cs_2', credits: 1000, payment: paid('cs_2') }
    const with_ = (...usages: readonly Usage[]) =>
      belongings(life({ periods }, { purchases: [bought], usages: [before, ...usages] }), july + day)
    expect(with_(since)).toMatchObject({ plan: 400, purchased: 1000 })
    expect(with_({ ...since, purchased: 470 })).toMatchObject({ plan: 0, purchased: 1000 })
    expect(with_({ ...since, purchased: 570 })).toMatchObject({ plan: 0, purchased: 930 })
    expect(with_({ ...since, at: july - 60 })).toMatchObject({ plan: 500, purchased: 960 })
    expect(with_({ ...since, at: null })).toMatchObject({ plan: 500, purchased: 960 })
  })

  test('the model claws a share of each month of a year back, and lets a debt be paid by the months after it', () => {
    const year = period({
      kind: 'year',
      ends_at: june + 365 * day,
      payment: paid('in_1', { total: 19_200, taken_back: 4800 }),
    })
    const usages = [{ at: null, month: 'in_1/0', plan: 500, purchased: 0 }]
    const lived = life({ periods: [year] }, { usages })
    // 375 of each month are due, so that 125 were used too much.
    expect(belongings(lived, june)).toMatchObject({ plan: -125 })
    expect(belongings(lived, july)).toMatchObject({ plan: 250 })
    expect(belongings(lived, july + 31 * day)).toMatchObject({ plan: 375 })
  })

  test('the model cuts a month as far as its money was given back, and the trial never', () => {
    const next = period({ starts_at: june + 15 * day, ends_at: july + 15 * day, payment: paid('in_2') })
    const usages = [{ at: null, month: 'in_1/0', plan: 400, purchased: 0 }]
    const cut = life({ periods: [period({ given_back_from: june + 15 * day }), next] }, { usages })
    expect(belongings(cut, june + 15 * day)).toMatchObject({ plan: 500 - 150 })
    const both = life({ periods: [period(), next] }, { usages })
    expect(belongings(both, june + 15 * day)).toMatchObject({ plan: 1000 - 400 })
    expect(belongings(both, july)).toMatchObject({ plan: 1000 - 400 })
    const trial = life(
      { periods: [period({ kind: 'trial', payment: paid('in_1', { total: 0 }) }), next] },
      { usages },
    )
    expect(belongings(trial, june + 15 * day)).toMatchObject({ plan: 500 })
  })

  test('the model gives added seats the rest of the month, and takes the last ones first', () => {
    const change = (days: number, to: number, id: string) => ({
      at: june + days * day,
      to,
      payment: paid(id, { total: 1000, paid_at: june + days * day }),
    })
    const lived = life({
      periods: [period({ kind: 'year', ends_at: june + 365 * day, seats: 2 })],
      seat_changes: [change(15, 5, 'in_2'), change(20, 3, 'in_3'), change(21, 6, 'in_4')],
    })
    // 3 seats for half of the month, 2 fewer that it has had all the same, 1 more than ever for 9 days of 30.
    expect(belongings(lived, june + 22 * day)).toMatchObject({ plan: 1000 + 750 + 150 })
    expect(belongings(lived, july)).toMatchObject({ plan: 6 * 500 })
  })

  test('the model lowers the next months by seats that were given up, and raises them when added ones are paid', () => {
    const year = period({ kind: 'year', ends_at: june + 365 * day, seats: 5 })
    const waiting = (to: number) => ({ at: june + day, to, payment: null })
    expect(belongings(life({ periods: [year], seat_changes: [waiting(2)] }), july)).toMatchObject({
      plan: 1000,
    })
    expect(belongings(life({ periods: [year], seat_changes: [waiting(8)] }), july)).toMatchObject({
      plan: 2500,
    })
  })

  test('the model turns late payments into bought credits', () => {
    const late = period({
      starts_at: july,
      ends_at: july + 31 * day,
      payment: paid('in_2', { paid_at: july + 20 * day, taken_back: 1000 }),
    })
    const lived = life({ periods: [period(), late], ended_at: july + 15 * day })
    const expected = { plan: 0, purchased: 250, plan_type: 'starter', seats_total: 0 }
    expect(belongings(lived, july + 21 * day)).toMatchObject(expected)
  })

  test('the model starts a later subscription clean', () => {
    const refunded = period({ payment: paid('in_1', { taken_back: 2000 }) })
    const usages = [{ at: null, month: 'in_1/0', plan: 500, purchased: 0 }]
    const old = life({ periods: [refunded], ended_at: june + day }, { usages })
    expect(belongings(old, july)).toMatchObject({ plan: -500, settled: ['cs_1'] })
    const [first] = old.subscriptions
    const second = life({
      session: 'cs_2',
      periods: [period({ starts_at: july, ends_at: july + 31 * day, payment: paid('in_2') })],
    })
    const both = { ...old, subscriptions: [...(first ? [first] : []), ...second.subscriptions] }
    expect(belongings(both, july)).toMatchObject({ plan: 500, settled: ['cs_1', 'cs_2'] })
  })

  test('the model spends a positive plan balance first, and nothing beside a larger debt', () => {
    const unheld = { held: 0, plan_held: 0 }
    expect(spend({ ...unheld, plan: 100, purchased: 50 }, 120)).toEqual({ plan: 100, purchased: 20 })
    expect(spend({ ...unheld, plan: -100, purchased: 300 }, 200)).toEqual({ plan: 0, purchased: 200 })
    expect(spend({ ...unheld, plan: -100, purchased: 300 }, 201)).toBeNull()
    expect(spend({ ...unheld, plan: 500, purchased: -300 }, 200)).toEqual({ plan: 200, purchased: 0 })
  })
})
