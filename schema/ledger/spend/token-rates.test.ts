import fc from 'fast-check'
import { expect, test } from 'vitest'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildSpender } from '../../../tests/support/factories/holds.ts'
import { costOf } from '../../catalogue/token-rates.ts'
import { setBudget } from '../budgets.ts'
import type { SpendOutcome } from './usage.ts'

const database = testDatabase()
booksEndRight(database)

/** An owner with bought credits, whose costs are in thousandths of a credit. */
async function spender(purchased: number) {
  const { owner_id, use, reserve, settle, balance } = await buildSpender(database, { purchased })
  return {
    owner_id,
    use: (cost_thousandths: number, key?: string) => use(0, { cost_thousandths, ...(key && { key }) }),
    report: (credits: number) => use(credits),
    reserve: (credits: number) => reserve(credits),
    settle: (hold: SpendOutcome, cost_thousandths: number, more: { at?: number; may_spend?: boolean } = {}) =>
      settle(hold, 0, { cost_thousandths, ...more }),
    /** What is left, and the thousandths that are not charged yet. */
    books: async () => {
      const { total, held } = await balance()
      const { rest } = await database.row('ledger_owners', { owner_id }, ['rest'])
      return { total, held, rest }
    },
  }
}

test('the price of tokens is rounded up once to a thousandth of a credit', () => {
  const rates = { input: 2_000, output: 10_000, cache_read: 200, cache_write: 2_500 }
  // 1,234 x 2,000 + 567 x 10,000 + 89 x 200 + 1 x 2,500 = 8,158,300 millionths of a credit.
  expect(costOf({ input: 1_234, output: 567, cache_read: 89, cache_write: 1 }, rates)).toBe(8_159)
  expect(costOf({ cache_read: 1 }, rates)).toBe(1)
  expect(costOf({ input: 500 }, rates)).toBe(1_000)
})

test('parts of a credit are charged when they are a credit together, and a retry is told the same', async () => {
  const { use, books } = await spender(100)
  expect(await use(300, 'a')).toMatchObject({ outcome: 'posted', charged: 0, transfer_id: null })
  expect(await use(300, 'b')).toMatchObject({ outcome: 'posted', charged: 0, purchased: 100 })
  expect(await use(300, 'c')).toMatchObject({ outcome: 'posted', charged: 0 })
  expect(await use(300, 'd')).toMatchObject({ outcome: 'posted', charged: 1, purchased: 99 })
  expect(await use(2_900, 'e')).toMatchObject({ outcome: 'posted', charged: 3, purchased: 96 })
  for (const [cost, key, charged] of [
    [300, 'c', 0],
    [300, 'd', 1],
    [2_900, 'e', 3],
  ] as const)
    expect(await use(cost, key)).toMatchObject({ outcome: 'replayed', charged })
  expect((await use(301, 'a')).outcome).toBe('conflict')
  expect(await books()).toEqual({ total: 96, held: 0, rest: 100 })
})

test('whole credits that are reported leave the rest of a credit alone', async () => {
  const { use, report, books } = await spender(100)
  await use(999)
  expect(await report(100)).toMatchObject({ outcome: 'posted', charged: 100 })
  expect(await books()).toEqual({ total: 0, held: 0, rest: 999 })
})

test('nothing is used without an available credit, however little it costs', async () => {
  const { owner_id, use, reserve, report, books } = await spender(2)
  await setBudget(database.server, {
    owner_id,
    scope: 'own',
    user_id: null,
    credits: 1,
    period: 'day',
    set_by: owner_id,
    now: new Date('2026-11-20T12:00:00Z'),
  })
  await report(1)
  expect(await use(1)).toMatchObject({ outcome: 'over_budget' })
  const other = await spender(2)
  await other.reserve(2)
  expect(await other.use(1)).toMatchObject({ outcome: 'refused' })
  expect((await reserve(1)).outcome).toBe('over_budget')
  expect(await books()).toEqual({ total: 1, held: 0, rest: 0 })
})

test.each([
  // Reserved, cost, what is left of 20 and of a credit: charged is the whole part of 700 and the cost.
  ['below what was reserved', 10, 9_400, { charged: 10, settled: 10 }, { total: 10, rest: 100 }],
  ['less than a credit with the rest', 10, 299, { charged: 0, settled: 0 }, { total: 20, rest: 999 }],
  ['a credit with the rest', 10, 300, { charged: 1, settled: 1 }, { total: 19, rest: 0 }],
  ['above what was reserved', 10, 12_345, { charged: 13, settled: 13 }, { total: 7, rest: 45 }],
  ['more than is available', 10, 25_000, { charged: 20, settled: 25 }, { total: 0, rest: 700 }],
])(
  'a hold is settled with %s: the rest of a credit goes into it once',
  async (_, reserved, cost, charged, left) => {
    const { use, reserve, settle, books } = await spender(20)
    await use(700)
    const hold = await reserve(reserved)
    const settled = await settle(hold, cost)
    expect([settled.outcome, settled.charged, settled.hold?.settled_credits]).toEqual([
      'posted',
      charged.charged,
      charged.settled,
    ])
    expect(await settle(hold, cost)).toMatchObject({ outcome: 'replayed', charged: charged.charged })
    expect((await settle(hold, cost + 1)).outcome).toBe('settled')
    expect(await books()).toEqual({ held: 0, ...left })
  },
)

test('a hold that has expired takes nothing of a person who may not spend, not even a part of a credit', async () => {
  const { reserve, settle, books } = await spender(20)
  for (const cost of [999, 5_500]) {
    const hold = await reserve(10)
    expect(await settle(hold, cost, { at: 16, may_spend: false })).toMatchObject({ charged: 0 })
  }
  expect(await books()).toEqual({ total: 20, held: 0, rest: 0 })
  expect(await settle(await reserve(10), 5_500, { at: 16 })).toMatchObject({ charged: 5 })
  expect(await books()).toEqual({ total: 15, held: 0, rest: 500 })
})

test('in any order, used at once or settled later, all that was used is charged but for less than a credit', async () => {
  const call = fc.record({
    how: fc.constantFrom('use', 'hold', 'credits'),
    cost: fc.integer({ min: 1, max: 4_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
      const { use, report, reserve, settle, books } = await spender(1_000)
      let cost = 0
      let charged = 0
      for (const one of calls) {
        const whole = Math.ceil(one.cost / 1000)
        cost += one.how === 'credits' ? whole * 1000 : one.cost
        const outcome =
          one.how === 'credits'
            ? await report(whole)
            : one.how === 'use'
              ? await use(one.cost)
              : await settle(await reserve(whole), one.cost)
        expect(outcome.outcome).toBe('posted')
        charged += outcome.charged
      }
      expect(charged).toBe(Math.floor(cost / 1000))
      expect(await books()).toEqual({ total: 1_000 - charged, held: 0, rest: cost % 1000 })
    }),
    { numRuns: 25 },
  )
})
