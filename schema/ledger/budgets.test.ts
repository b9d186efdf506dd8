import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildSpender } from '../../tests/support/factories/holds.ts'
import type { BudgetPeriod } from '../api/budgets.ts'
import { askForMore, listBudgets, raiseBudget, setBudget } from './budgets.ts'
import { eraseTransferTexts } from './post/erase-texts.ts'

const database = testDatabase()
booksEndRight(database)

const ada = 'user_ada'
const bob = 'user_bob'
const noon = '2026-11-20T12:00:00Z'

/** An organization with bought credits, whose people spend at moments of the product's clock. */
async function organization(credits = 10_000) {
  const owner_id = `org_${randomUUID().replaceAll('-', '')}`
  const spender = await buildSpender(database, { purchased: credits }, owner_id)
  const set = (
    scope: 'organization' | 'member_default' | 'member',
    limit: number | null,
    {
      period = 'day',
      user_id = null,
      at = noon,
    }: { period?: BudgetPeriod; user_id?: string | null; at?: string } = {},
  ) =>
    setBudget(database.server, {
      owner_id,
      scope,
      user_id,
      credits: limit,
      period,
      set_by: ada,
      now: new Date(at),
    })
  const list = (person: string, at = noon) =>
    listBudgets(database.server, { owner_id, people: [person], now: new Date(at) })
  return {
    owner_id,
    set,
    list,
    use: (actor: string, used: number, at = noon, more: { failure?: 'timeout'; key?: string } = {}) =>
      spender.use(used, { actor, at, ...more }),
    reserve: (
      actor: string,
      held: number,
      at = noon,
      more: { at_least?: number; run?: string; run_limit?: number } = {},
    ) => spender.reserve(held, { actor, at, lasting_s: 60 * 60, ...more }),
    settle: (
      actor: string,
      hold: Parameters<typeof spender.settle>[0],
      cost: number,
      at = noon,
      more: { may_spend?: boolean; failure?: 'timeout' } = {},
    ) => spender.settle(hold, cost, { actor, at, ...more }),
    release: (actor: string, hold: Parameters<typeof spender.release>[0]) =>
      spender.release(hold, { actor, at: noon }),
  }
}

test('a budget of everyone refuses what is above it, tells the same twice, and takes what fits', async () => {
  const { set, use, list, reserve } = await organization()
  await set('organization', 100)
  expect(await use(ada, 60)).toMatchObject({ outcome: 'posted', charged: 60 })
  const refusal = {
    outcome: 'over_budget',
    charged: 0,
    budget: { scope: 'organization', period: 'day', credits: 100, used: 60, held: 0, ends_on: '2026-11-21' },
  }
  expect(await use(bob, 41)).toMatchObject(refusal)
  expect(await use(bob, 41)).toMatchObject(refusal)
  expect(await reserve(bob, 41)).toMatchObject({ ...refusal, hold: null })
  expect(await reserve(bob, 41, noon, { at_least: 40 })).toMatchObject({
    outcome: 'posted',
    hold: { credits: 40 },
  })
  expect(await use(ada, 1)).toMatchObject({ outcome: 'over_budget', budget: { used: 60, held: 40 } })
  expect(await use(ada, 0, noon, { failure: 'timeout' })).toMatchObject({ outcome: 'posted' })
  expect(await list(ada)).toMatchObject([
    {
      scope: 'organization',
      used: 60,
      held: 40,
      left: 0,
      refused: 4,
      refused_actor: ada,
      refused_credits: 1,
    },
  ])
})

test('what is not available is refused as that, also where a budget refuses too', async () => {
  const { set, use } = await organization(10)
  await set('organization', 5)
  expect(await use(ada, 11)).toMatchObject({ outcome: 'refused', budget: null })
  expect(await use(ada, 6)).toMatchObject({ outcome: 'over_budget' })
})

test('a member’s own limit takes the place of that of each member, and every level has to pass', async () => {
  const { set, use } = await organization()
  await set('organization', 100)
  await set('member_default', 30)
  await set('member', 80, { user_id: bob })
  expect(await use(ada, 31)).toMatchObject({ budget: { scope: 'member_default', credits: 30 } })
  expect(await use(ada, 30)).toMatchObject({ outcome: 'posted' })
  expect(await use(bob, 31)).toMatchObject({ outcome: 'posted' })
  expect(await use(bob, 50)).toMatchObject({ budget: { scope: 'organization', used: 61 } })
  expect(await use(bob, 39)).toMatchObject({ outcome: 'posted' })
  await set('member', null, { user_id: bob })
  expect(await use(bob, 1)).toMatchObject({ budget: { scope: 'member_default', used: 70, credits: 30 } })
})

test('a limit of 0 blocks all, and one of another owner nothing', async () => {
  const [limited, other] = [await organization(), await organization()]
  await limited.set('organization', 0)
  expect(await limited.use(ada, 1)).toMatchObject({ outcome: 'over_budget', budget: { credits: 0, used: 0 } })
  expect(await other.use(ada, 1)).toMatchObject({ outcome: 'posted' })
})

test('a budget that is made in mid-period counts what was used before, and says so', async () => {
  const { set, use, reserve, list } = await organization()
  await use(ada, 70, '2026-11-19T23:59:59Z')
  await use(ada, 20, '2026-11-20T00:00:00Z')
  await reserve(ada, 30, '2026-11-20T11:30:00Z')
  await set('organization', 100)
  expect(await list(ada)).toMatchObject([{ used: 20, used_before: 20, held: 30, left: 50 }])
  expect(await use(ada, 51)).toMatchObject({ outcome: 'over_budget' })
  expect(await use(ada, 50)).toMatchObject({ outcome: 'posted' })
  expect(await list(ada)).toMatchObject([{ used: 70, used_before: 20, held: 30, left: 0 }])
  expect(await list(ada, '2026-11-21T00:00:00Z')).toMatchObject([
    { used: 0, used_before: 0, held: 0, left: 100 },
  ])
})

test('a hold is charged to the period in which it was reserved, and what is above it to that of its settlement', async () => {
  const { set, use, reserve, settle, list } = await organization()
  await set('organization', 100)
  const hold = await reserve(ada, 80, '2026-11-20T23:30:00Z')
  const morning = '2026-11-21T00:15:00Z'
  expect(await use(ada, 95, morning)).toMatchObject({ outcome: 'posted' })
  // 80 of the day before, and 5 of the 20 above it, which is what is left of this day.
  expect(await settle(ada, hold, 100, morning)).toMatchObject({ outcome: 'posted', charged: 85 })
  expect(await list(ada, '2026-11-20T23:59:00Z')).toMatchObject([{ used: 80, held: 0, left: 20 }])
  expect(await list(ada, morning)).toMatchObject([{ used: 100, held: 0, left: 0 }])
})

test('a hold that has expired is settled late as far as its budget has something left', async () => {
  const { set, use, reserve, settle } = await organization()
  await set('organization', 100)
  const hold = await reserve(ada, 60, '2026-11-20T12:00:00Z')
  const later = '2026-11-20T13:30:00Z'
  expect(await use(bob, 90, later)).toMatchObject({ outcome: 'posted' })
  expect(await settle(ada, hold, 60, later)).toMatchObject({ charged: 10, hold: { state: 'settled_late' } })
})

test('a request that fails gives its budget back what was reserved for it', async () => {
  const { set, use, reserve, settle, list } = await organization()
  await set('organization', 100)
  await use(ada, 20)
  const hold = await reserve(ada, 80)
  expect(await use(bob, 1)).toMatchObject({ outcome: 'over_budget' })
  expect(await settle(ada, hold, 0, noon, { failure: 'timeout' })).toMatchObject({ charged: 0 })
  expect(await list(bob)).toMatchObject([{ used: 20, held: 0, left: 80 }])
  expect(await use(bob, 80)).toMatchObject({ outcome: 'posted' })
})

test('a person who has lost their seat is charged what was reserved, and no more of what is left of a budget', async () => {
  const { set, use, reserve, settle } = await organization()
  await set('organization', 100)
  await set('member', 90, { user_id: bob })
  const hold = await reserve(bob, 40)
  expect(await settle(bob, hold, 60, noon, { may_spend: false })).toMatchObject({ charged: 40 })
  expect(await use(ada, 61)).toMatchObject({ outcome: 'over_budget', budget: { used: 40, held: 0 } })
  expect(await use(ada, 60)).toMatchObject({ outcome: 'posted' })
})

test('the limit of an erased person is erased, and what they used stays counted in the limit of everyone', async () => {
  const { owner_id, set, use, list } = await organization()
  await set('organization', 100)
  await set('member_default', 50)
  await set('member', 80, { user_id: bob })
  await use(bob, 60)
  await database.worker
    .transaction()
    .execute((trx) => eraseTransferTexts(trx, { user_id: bob, organizations: [owner_id], names: [] }))
  expect(await list(bob)).toMatchObject([
    { scope: 'member_default', credits: 50, used: 60, left: -10 },
    { scope: 'organization', used: 60, left: 40 },
  ])
  expect(await use(ada, 41)).toMatchObject({ outcome: 'over_budget', budget: { scope: 'organization' } })
  expect(await use(ada, 40)).toMatchObject({ outcome: 'posted' })
})

test('a limit that is lowered below what is spent and held blocks at once, and open holds finish', async () => {
  const { set, use, reserve, settle, release } = await organization()
  await set('organization', 100)
  await use(ada, 40)
  const [first, second] = [await reserve(ada, 30), await reserve(bob, 30)]
  await set('organization', 10)
  expect(await use(ada, 1)).toMatchObject({
    outcome: 'over_budget',
    budget: { credits: 10, used: 40, held: 60 },
  })
  // What was reserved is charged, and nothing above it.
  expect(await settle(ada, first, 35)).toMatchObject({ outcome: 'posted', charged: 30 })
  expect(await release(bob, second)).toMatchObject({ outcome: 'posted' })
  await set('organization', 71)
  expect(await use(ada, 1)).toMatchObject({ outcome: 'posted' })
  expect(await use(ada, 1)).toMatchObject({ outcome: 'over_budget', budget: { used: 71 } })
})

test('a limit that is raised for this period alone lets the next call pass, once, and until the period ends or it is lowered', async () => {
  const { owner_id, set, use, list } = await organization()
  await set('member_default', 10)
  await use(ada, 10)
  expect(await use(ada, 5)).toMatchObject({ outcome: 'over_budget' })
  const [budget] = await list(ada)
  const of = { owner_id, budget_id: budget?.id ?? '', person: ada, now: new Date(noon) }
  expect(await askForMore(database.server, of)).toBe(true)
  expect(await askForMore(database.server, of)).toBe(false)
  expect(await list(ada)).toMatchObject([{ asked_by: ada }])
  expect(await raiseBudget(database.server, { ...of, credits: 15 })).toBe(true)
  expect(await raiseBudget(database.server, { ...of, credits: 15 })).toBe(false)
  expect(await list(ada)).toMatchObject([{ asked_by: null, credits: 15, extra: 5 }])
  expect(await list(bob)).toMatchObject([{ credits: 10, extra: 0 }])
  expect(await use(ada, 5)).toMatchObject({ outcome: 'posted' })
  expect(await use(ada, 1)).toMatchObject({ outcome: 'over_budget', budget: { credits: 15 } })
  expect(await list(ada, '2026-11-21T00:00:00Z')).toMatchObject([{ credits: 10, extra: 0, left: 10 }])
  await set('member_default', 0)
  expect(await list(ada)).toMatchObject([{ credits: 0, extra: 0 }])
})

test('a run may take so many credits with all its holds, and its settlements no more', async () => {
  const { reserve, settle, use } = await organization()
  const run = { run: 'agent-7', run_limit: 100 }
  const first = await reserve(ada, 60, noon, run)
  expect(await reserve(ada, 60, noon, run)).toMatchObject({
    outcome: 'over_budget',
    budget: { scope: 'run', credits: 100, used: 0, held: 60, ends_on: null },
  })
  const second = await reserve(ada, 60, noon, { ...run, at_least: 1 })
  expect(second).toMatchObject({ hold: { credits: 40 } })
  expect(await settle(ada, first, 50)).toMatchObject({ charged: 50 })
  expect(await settle(ada, second, 70)).toMatchObject({ charged: 50 })
  expect(await reserve(ada, 1, noon, run)).toMatchObject({ outcome: 'over_budget', budget: { used: 100 } })
  expect(await reserve(bob, 1, noon, run)).toMatchObject({ outcome: 'posted' })
  expect(await use(ada, 1)).toMatchObject({ outcome: 'posted' })
})

test('two servers at the edge of a budget let exactly what fits pass', async () => {
  const { set, use, reserve, list } = await organization()
  await set('organization', 500)
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? use(ada, 75) : reserve(bob, 75))),
  )
  expect(outcomes.filter(({ outcome }) => outcome === 'posted')).toHaveLength(6)
  const [budget] = await list(ada)
  expect((budget?.used ?? 0) + (budget?.held ?? 0)).toBe(450)
})

test('a retry of what was posted is no second use of the budget, and one of a refusal may pass later', async () => {
  const { set, use } = await organization()
  await set('organization', 10)
  expect(await use(ada, 10, noon, { key: 'a' })).toMatchObject({ outcome: 'posted' })
  expect(await use(ada, 10, noon, { key: 'a' })).toMatchObject({ outcome: 'replayed', charged: 10 })
  expect(await use(ada, 5, noon, { key: 'b' })).toMatchObject({ outcome: 'over_budget' })
  await set('organization', 15)
  expect(await use(ada, 5, noon, { key: 'b' })).toMatchObject({ outcome: 'posted' })
})

test.each([
  // Without a plan: the calendar month.
  [[], '2026-11-20', '2026-11-01', '2026-12-01'],
  [['2026-11-10T09:00:00Z'], '2026-11-10', '2026-11-10', '2026-12-10'],
  [['2026-11-10T09:00:00Z'], '2026-11-09', '2026-11-01', '2026-12-01'],
  // Before the next month is paid, and after it is.
  [['2026-11-10T09:00:00Z'], '2026-12-12', '2026-12-10', '2027-01-10'],
  [['2026-11-10T09:00:00Z', '2026-12-10T09:00:00Z'], '2026-12-12', '2026-12-10', '2027-01-10'],
  // A month begins with its last day where it lacks the day.
  [['2027-01-31T09:00:00Z'], '2027-02-27', '2027-01-31', '2027-02-28'],
  [['2027-01-31T09:00:00Z'], '2027-02-28', '2027-02-28', '2027-03-31'],
])('a billing month of months that began %s is on %s that from %s to %s', async (months, day, from, to) => {
  const { owner_id, set, list, use } = await organization()
  for (const [index, start] of months.entries()) {
    await database.owner
      .insertInto('ledger_grants')
      .values(monthOf(owner_id, start, index))
      .execute()
  }
  await set('organization', 100, { period: 'billing_month', at: `${from}T00:00:00Z` })
  await use(ada, 30, `${day}T23:59:59Z`)
  expect(await list(ada, `${day}T23:59:59Z`)).toMatchObject([
    { starts_at: new Date(from), resets_at: new Date(to), used: 30 },
  ])
})

test('a billing month that begins later and ends on the same day counts from its own beginning', async () => {
  const { owner_id, set, list, use } = await organization()
  const begin = (start: string, index: number) =>
    database.owner
      .insertInto('ledger_grants')
      .values(monthOf(owner_id, start, index))
      .execute()
  await begin('2027-01-28T09:00:00Z', 0)
  await set('organization', 100, { period: 'billing_month', at: '2027-01-28T10:00:00Z' })
  await use(ada, 30, '2027-01-28T11:00:00Z')
  await begin('2027-01-31T09:00:00Z', 1)
  await use(ada, 20, '2027-01-31T10:00:00Z')
  expect(await list(ada, '2027-01-31T10:00:00Z')).toMatchObject([
    { starts_at: new Date('2027-01-31'), resets_at: new Date('2027-02-28'), used: 20 },
  ])
})

test('a limit is asked for and raised in the billing month of a plan that began within a calendar month', async () => {
  const { owner_id, set, list, use } = await organization()
  await set('organization', 100, { period: 'billing_month' })
  await use(ada, 30)
  const start = '2026-11-21T09:00:00Z'
  const grant = monthOf(owner_id, start, 0)
  await database.owner.insertInto('ledger_grants').values(grant).execute()
  await use(ada, 20, start)
  const [budget] = await list(ada, start)
  const of = { owner_id, budget_id: budget?.id ?? '', person: ada, now: new Date(start) }
  expect(await askForMore(database.server, of)).toBe(true)
  expect(await raiseBudget(database.server, { ...of, credits: 150 })).toBe(true)
  expect(await list(ada, start)).toMatchObject([{ used: 20, extra: 50 }])
})

function monthOf(owner_id: string, start: string, index: number) {
  const starts_at = new Date(start)
  const invoice = `in_${owner_id.slice(4)}${index}`
  return {
    id: `month/${invoice}/${starts_at.getTime() / 1000}`,
    owner_id,
    account: 'plan' as const,
    kind: 'month' as const,
    stripe_subscription_id: `sub_${owner_id.slice(4)}`,
    stripe_invoice_id: invoice,
    month_starts_at: starts_at,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 28 * 24 * 60 * 60_000),
  }
}

const people = fc.constantFrom(ada, bob)
const minutes = fc.integer({ min: 0, max: 3 * 24 * 60 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('use' as const), who: people, credits: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('reserve' as const), who: people, credits: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    kind: fc.constant('settle' as const),
    which: fc.nat(5),
    cost: fc.integer({ min: 0, max: 90 }),
  }),
  fc.record({
    kind: fc.constant('limit' as const),
    scope: fc.constantFrom('organization' as const, 'member_default' as const, 'member' as const),
    credits: fc.option(fc.integer({ min: 0, max: 150 })),
    period: fc.constantFrom('day' as const, 'month' as const),
  }),
)

/**
 * What is checked needs no model of the ledger: credits are posted within every limit that stood at that moment,
 * counted from what the calls themselves answered; and what is refused would have been above one.
 */
test('no posted use or hold is above a limit of its moment, and no refused one was below all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(minutes, step), { minLength: 5, maxLength: 40 }), async (timed) => {
      const org = await organization(1_000_000)
      const limits = new Map<string, { credits: number; days: number }>()
      const taken: { who: string; day: number; credits: number; ends: number }[] = []
      const holds: {
        who: string
        outcome: Awaited<ReturnType<typeof org.reserve>>
        row: (typeof taken)[number]
      }[] = []
      const left = (who: string, minute: number) => {
        const own = limits.get(`member ${who}`) ?? limits.get('member_default')
        const sums = [
          [limits.get('organization'), () => true] as const,
          [own, (by: string) => by === who] as const,
        ]
        return Math.min(
          ...sums.map(([limit, counts]) => {
            if (!limit) return Number.POSITIVE_INFINITY
            const period = (day: number) => Math.floor(day / limit.days)
            const same = taken.filter(
              (row) =>
                counts(row.who) && row.ends > minute && period(row.day) === period(Math.floor(minute / 1440)),
            )
            return limit.credits - same.reduce((sum, { credits }) => sum + credits, 0)
          }),
        )
      }
      for (const [minute, asked] of timed.toSorted(([one], [other]) => one - other)) {
        const at = new Date(Date.parse('2026-11-20T00:00:00Z') + minute * 60_000).toISOString()
        const day = Math.floor(minute / 1440)
        if (asked.kind === 'limit') {
          const { scope, credits, period } = asked
          await org.set(scope, credits, { period, user_id: scope === 'member' ? ada : null, at })
          const key = scope === 'member' ? `member ${ada}` : scope
          if (credits === null) limits.delete(key)
          else limits.set(key, { credits, days: period === 'day' ? 1 : 1000 })
          continue
        }
        if (asked.kind === 'settle') {
          const [hold] = holds.splice(asked.which, 1)
          if (!hold) continue
          const isLate = hold.row.ends <= minute
          const reserved = isLate ? 0 : Math.min(hold.row.credits, asked.cost)
          hold.row.ends = minute
          if (!isLate) taken.push({ ...hold.row, credits: reserved, ends: Number.POSITIVE_INFINITY })
          const settled = await org.settle(hold.who, hold.outcome, asked.cost, at)
          // A day after it has expired it cannot be settled.
          if (settled.outcome === 'expired') continue
          const above = settled.charged - reserved
          expect(above).toBe(Math.max(0, Math.min(asked.cost - reserved, left(hold.who, minute))))
          taken.push({ who: hold.who, day, credits: above, ends: Number.POSITIVE_INFINITY })
          continue
        }
        const { kind, who, credits } = asked
        const room = left(who, minute)
        const outcome = await (kind === 'use' ? org.use(who, credits, at) : org.reserve(who, credits, at))
        expect(outcome.outcome).toBe(credits <= room ? 'posted' : 'over_budget')
        if (outcome.outcome !== 'posted') continue
        const row = { who, day, credits, ends: kind === 'use' ? Number.POSITIVE_INFINITY : minute + 60 }
        taken.push(row)
        if (kind === 'reserve') holds.push({ who, outcome, row })
      }
    }),
    { numRuns: 60 },
  )
})
