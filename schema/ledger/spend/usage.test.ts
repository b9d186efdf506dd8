import { expect, test } from 'vitest'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildUsage, giveCredits, spendNow, spendOne } from '../../../tests/support/factories/transfers.ts'
import { findBalance } from '../read/balances.ts'
import { spendCredits, sumUsageByUser, sumUsageSince } from './usage.ts'

const database = testDatabase()
booksEndRight(database)

const usageOf = (owner_id: string, credits: number, idempotency_key: string) =>
  buildUsage(owner_id, { credits, idempotency_key })

const give = (owner_id: string, credits: { plan?: number; purchased?: number }) =>
  giveCredits(database, owner_id, credits)

test('fifty reports in parallel on a balance for ten: ten pass, across both accounts, retries included', async () => {
  await give('user_fifty', { plan: 4, purchased: 6 })
  const reports = Array.from({ length: 50 }, (_, i) => usageOf('user_fifty', 1, `report-${i}`))
  const results = await Promise.all(
    reports.flatMap((report) => [spendOne(database.server, report), spendOne(database.server, report)]),
  )
  expect(results.filter((result) => result.outcome === 'posted')).toHaveLength(10)
  expect(await findBalance(database.server, 'user_fifty')).toMatchObject({ total: 0 })
})

test('a debt of one account blocks as many credits of the other, and no more when it is gone', async () => {
  await give('user_owing', { plan: 100, purchased: -20 })
  expect(await spendNow(database.server, 'user_owing', 81)).toMatchObject({ outcome: 'refused' })
  expect(await spendNow(database.server, 'user_owing', 70)).toMatchObject({
    outcome: 'posted',
    plan: 30,
    purchased: -20,
  })
  await give('user_owing', { purchased: 20 })
  expect(await spendNow(database.server, 'user_owing', 30)).toMatchObject({
    outcome: 'posted',
    plan: 0,
    purchased: 0,
  })
})

test('usage never makes a debt of the plan account larger, nor one of the purchased account', async () => {
  await give('user_plan_debt', { plan: -30, purchased: 100 })
  expect(await spendNow(database.server, 'user_plan_debt', 71)).toMatchObject({
    outcome: 'refused',
  })
  expect(await spendNow(database.server, 'user_plan_debt', 70)).toMatchObject({
    outcome: 'posted',
    plan: -30,
    purchased: 30,
  })
})

test('several usages in one statement are decided in their order, and none fails the others', async () => {
  await give('user_several', { plan: 4, purchased: 6 })
  await give('user_beside', { purchased: 1 })
  await spendOne(database.server, usageOf('user_several', 1, 'before'))
  const results = await spendCredits(database.server, [
    usageOf('user_several', 5, 'first'),
    usageOf('user_several', 7, 'too-much'),
    usageOf('user_beside', 1, 'other'),
    usageOf('user_several', 5, 'first'),
    usageOf('user_several', 2, 'first'),
    usageOf('user_several', 2, 'before'),
    usageOf('user_several', 1, 'before'),
    usageOf('user_several', 4, 'last'),
    usageOf('user_beside', 1, 'too-late'),
  ])
  expect(results.map(({ outcome, plan, purchased }) => [outcome, plan, purchased])).toEqual([
    ['posted', 0, 4],
    ['refused', 0, 4],
    ['posted', 0, 0],
    ['replayed', 0, 4],
    ['conflict', 0, 4],
    ['conflict', 0, 4],
    ['replayed', 0, 4],
    ['posted', 0, 0],
    ['refused', 0, 0],
  ])
  expect(results[3]?.transfer_id).toBe(results[0]?.transfer_id)
  expect(await findBalance(database.server, 'user_several')).toMatchObject({ total: 0 })
})

test('usage since a moment is what occurred since then, of both accounts, also by a clock that runs ahead', async () => {
  const owner_id = 'user_since'
  await give(owner_id, { plan: 2, purchased: 100 })
  const use = (credits: number, occurred_at: Date, actor = owner_id) =>
    spendNow(database.server, owner_id, credits, { occurred_at, actor })
  const since = new Date('2031-03-10T12:00:00Z')
  expect(await sumUsageSince(database.server, owner_id, since)).toBe(0)
  await use(1, new Date('2031-03-09T00:00:00Z'))
  await use(2, new Date('2031-03-10T11:59:59Z'))
  await use(4, since)
  await use(8, new Date('2031-07-01T00:00:00Z'), 'user_colleague')
  // Reported late.
  await use(16, new Date('2031-03-11T00:00:00Z'))
  await use(32, new Date('2031-03-10T00:00:00Z'))
  expect(await sumUsageByUser(database.server, owner_id, since)).toEqual(
    new Map([
      [owner_id, 20],
      ['user_colleague', 8],
    ]),
  )
  expect(await sumUsageSince(database.server, owner_id, since)).toBe(28)
})
