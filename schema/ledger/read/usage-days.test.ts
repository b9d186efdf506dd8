import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildUsage, giveCredits } from '../../../tests/support/factories/transfers.ts'
import { spendCredits, type Usage } from '../spend/usage.ts'
import { sumUsageDays } from './usage-days.ts'

const database = testDatabase()

/** An organization's pool, and who uses it. */
async function pool(credits = 100_000) {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  await giveCredits(database, owner_id, { purchased: credits })
  const usage = (day: string, fields: Partial<Usage>): Usage =>
    buildUsage(owner_id, { occurred_at: new Date(`${day}T12:00:00Z`), actor: 'user_ada', ...fields })
  const span = { owner_id, from: '2026-03-01', to: '2026-03-31' }
  return { span, usage, spend: (...usages: Usage[]) => spendCredits(database.server, usages) }
}

test('usage is summed by day, model, project, editor and person, and every grouping has the same total', async () => {
  const { span, usage, spend } = await pool()
  const token_id = randomUUID()
  await spend(
    usage('2026-03-02', { credits: 5, model: 'large', project: 'web', token_id }),
    usage('2026-03-02', { credits: 7, model: 'small', actor: 'user_bob' }),
    usage('2026-03-03', { credits: 2, model: 'large', project: 'api', token_id }),
    usage('2026-03-03', { credits: 0, model: 'large', failure: 'timeout', token_id }),
  )
  const total = { requests: 4, failed: 1, credits: 14 }
  const by = (...columns: Parameters<typeof sumUsageDays>[2]['by']) =>
    sumUsageDays(database.server, span, { by: columns })
  expect(await by('day')).toEqual({
    rows: [
      { day: '2026-03-03', requests: 2, failed: 1, credits: 2 },
      { day: '2026-03-02', requests: 2, failed: 0, credits: 12 },
    ],
    total,
  })
  expect(await by('model')).toEqual({
    rows: [
      { model: 'large', requests: 3, failed: 1, credits: 7 },
      { model: 'small', requests: 1, failed: 0, credits: 7 },
    ],
    total,
  })
  expect((await by('project')).rows.map(({ project, credits }) => [project, credits])).toEqual([
    [null, 7],
    ['web', 5],
    ['api', 2],
  ])
  expect((await by('actor', 'token_id')).rows).toEqual([
    { actor: 'user_ada', token_id, requests: 3, failed: 1, credits: 7 },
    { actor: 'user_bob', token_id: null, requests: 1, failed: 0, credits: 7 },
  ])
  expect((await by('actor')).total).toEqual(total)
  expect((await by('day', 'model')).rows.map(({ day, model, credits }) => [day, model, credits])).toEqual([
    ['2026-03-03', 'large', 2],
    ['2026-03-02', 'small', 7],
    ['2026-03-02', 'large', 5],
  ])
  expect(await sumUsageDays(database.server, span, { by: ['model'], limit: 1 })).toMatchObject({
    rows: [{ model: 'large' }],
    total,
  })
})

test('a selection has the usage of its UTC days and of its person, and of no other owner', async () => {
  const { span, usage, spend } = await pool()
  const other = await pool()
  await spend(
    usage('2026-03-01', { occurred_at: new Date('2026-02-28T23:59:59.999Z') }),
    usage('2026-03-01', { credits: 2, occurred_at: new Date('2026-03-01T00:00:00Z') }),
    usage('2026-03-31', { credits: 4, occurred_at: new Date('2026-03-31T23:59:59.999Z') }),
    usage('2026-03-31', { credits: 8, occurred_at: new Date('2026-04-01T00:00:00Z') }),
    usage('2026-03-09', { credits: 16, actor: 'user_bob' }),
  )
  await other.spend(other.usage('2026-03-09', { credits: 32 }))
  const read = (actor?: string) => sumUsageDays(database.server, { ...span, actor }, { by: ['day'] })
  expect((await read()).total.credits).toBe(2 + 4 + 16)
  expect((await read('user_bob')).total).toEqual({ requests: 1, failed: 0, credits: 16 })
  expect(await read('user_eve')).toEqual({ rows: [], total: { requests: 0, failed: 0, credits: 0 } })
})
