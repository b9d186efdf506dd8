import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { closeStatementDays } from '../../reconciliation/statement.ts'
import type { Owner } from '../accounts.ts'
import { findBalance } from '../read/balances.ts'
import { explainBalance } from '../read/explanation.ts'
import { listHistory, sumPeriods } from '../read/history.ts'
import { findOldestSumSeconds, listReports } from '../read/reports.ts'
import { spendCredits, spendCreditsMany, sumUsageSince, type Usage } from '../spend/usage.ts'
import { verifyLedger } from '../verify/verify.ts'
import { lockOwner, readBooks } from './books.ts'
import { postSums, sumUsage } from './sums.ts'

const database = testDatabase()
const problems = async (options = {}) => (await verifyLedger(database.owner, options)).problems
afterAll(async () => {
  expect(await problems()).toEqual([])
})

const noon = new Date('2026-11-20T12:00:10Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)

async function summing(
  credits: { plan?: number; purchased?: number },
  kind: Owner['owner_kind'] = 'organization',
) {
  const owner: Owner = { owner_kind: kind, owner_id: `${kind}_${randomUUID().slice(0, 8)}` }
  await giveCredits(database, owner, credits)
  await sumUsage(database.worker, owner, true)
  return owner
}

const usageOf = (owner: Owner, credits: number, fields: Partial<Usage> = {}): Usage => ({
  ...owner,
  credits,
  idempotency_key: randomUUID(),
  occurred_at: noon,
  actor: 'user_ada',
  reason: 'Completion',
  ...fields,
})
const use = (owner: Owner, credits: number, fields: Partial<Usage> = {}) =>
  spendCredits(database.server, usageOf(owner, credits, fields))
const postAll = () => postSums(database.worker, { older_than_ms: 0 })
const balance = (owner: Owner) => findBalance(database.server, owner)

/** Kind, credits and number of reports of each of the owner's transfers, oldest first. */
async function transfersOf(owner: Owner) {
  const { rows } = await sql<{ kind: string; credits: number; reports: number }>`
    SELECT t.kind, (SELECT sum(e.amount)::bigint FROM ledger_entries e
        WHERE e.owner_id = t.owner_id AND e.transfer_id = t.id AND e.version IS NOT NULL) AS credits,
      (SELECT count(*) FROM ledger_reports r WHERE r.owner_id = t.owner_id AND r.transfer_id = t.id) AS reports
    FROM ledger_transfers t WHERE t.owner_id = ${owner.owner_id} ORDER BY t.id`.execute(database.owner)
  return rows.map(({ kind, credits, reports }) => [kind, credits, reports])
}

test.each(['organization', 'user'] as const)(
  'reports of one minute are one transfer of an %s',
  async (kind) => {
    const owner = await summing({ plan: 3, purchased: 100 }, kind)
    const { version } = await balance(owner)
    expect(await use(owner, 2)).toMatchObject({ outcome: 'posted', plan: 1, purchased: 100 })
    expect(await use(owner, 4, { occurred_at: later(20) })).toMatchObject({ plan: 0, purchased: 97 })
    expect(await use(owner, 1, { occurred_at: later(49) })).toMatchObject({ plan: 0, purchased: 96 })
    expect(await transfersOf(owner)).toHaveLength(2)
    expect(await balance(owner)).toEqual({ plan: 0, purchased: 96, total: 96, version: version + 3 })
    expect(await postAll()).toBeGreaterThan(0)
    expect((await transfersOf(owner)).slice(2)).toEqual([['usage', -7, 3]])
    expect(await balance(owner)).toMatchObject({ plan: 0, purchased: 96 })
    expect((await balance(owner)).version).toBeGreaterThan(version + 3)
    expect(await postAll()).toBe(0)
  },
)

test('the first report of the next minute posts the sum', async () => {
  const owner = await summing({ purchased: 100 })
  await use(owner, 1)
  await use(owner, 2, { occurred_at: later(49.999) })
  await use(owner, 3, { occurred_at: later(50) })
  expect((await transfersOf(owner)).slice(1)).toEqual([['usage', -3, 2]])
  await spendCreditsMany(database.server, [
    usageOf(owner, 4, { occurred_at: later(110) }),
    usageOf(owner, 5, { occurred_at: later(111) }),
  ])
  await postAll()
  expect((await transfersOf(owner)).slice(1)).toEqual([
    ['usage', -3, 2],
    ['usage', -3, 1],
    ['usage', -9, 2],
  ])
})

test('ten times the same report is charged once, alone, together, at once and after its sum was posted', async () => {
  const owner = await summing({ purchased: 100 })
  await use(owner, 1)
  const report = usageOf(owner, 5)
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => spendCredits(database.server, report)))
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['posted', ...Array(9).fill('replayed')])
  expect(new Set(outcomes.map(({ transfer_id }) => transfer_id)).size).toBe(1)
  const together = await spendCreditsMany(database.server, [report, usageOf(owner, 1), report])
  expect(together.map(({ outcome }) => outcome)).toEqual(['replayed', 'posted', 'replayed'])
  await postAll()
  expect(await spendCredits(database.server, report)).toMatchObject({ outcome: 'replayed', purchased: 93 })
  await expect(use(owner, 6, { idempotency_key: report.idempotency_key })).rejects.toThrow('another input')
  expect(await balance(owner)).toMatchObject({ total: 93 })
})

test('what is not posted yet is spent: the balance is never used twice, whoever reports', async () => {
  const owner = await summing({ plan: 4, purchased: 6 })
  const reports = Array.from({ length: 30 }, () => usageOf(owner, 1))
  const results = await Promise.all([
    ...reports.slice(0, 20).map((report) => spendCredits(database.server, report)),
    spendCreditsMany(database.server, reports.slice(20)),
  ])
  const decided = results.flat()
  expect(decided.filter(({ outcome }) => outcome === 'posted')).toHaveLength(10)
  expect(await use(owner, 1)).toMatchObject({ outcome: 'refused', plan: 0, purchased: 0 })
  await postAll()
  expect((await transfersOf(owner)).slice(2)).toEqual([['usage', -10, 10]])
})

test('a debt of one account blocks as many credits of the other while they are summed', async () => {
  const owner = await summing({ plan: 100, purchased: -20 })
  expect(await use(owner, 50)).toMatchObject({ outcome: 'posted', plan: 50, purchased: -20 })
  expect(await use(owner, 31)).toMatchObject({ outcome: 'refused', plan: 50, purchased: -20 })
  expect(await use(owner, 30)).toMatchObject({ outcome: 'posted', plan: 20, purchased: -20 })
})

test('whatever else is posted for the owner comes after the sum', async () => {
  const owner = await summing({ plan: 10 })
  await use(owner, 4)
  await giveCredits(database, owner, { purchased: 50 })
  await use(owner, 3)
  await database.worker.transaction().execute(async (trx) => {
    await lockOwner(trx, owner)
    expect(await readBooks(trx, owner)).toMatchObject({
      plan: { balance: 3 },
      used_open: 7,
      sums_usage: true,
    })
  })
  expect((await transfersOf(owner)).slice(1)).toEqual([
    ['usage', -4, 1],
    ['adjustment', 50, 0],
    ['usage', -3, 1],
  ])
  await use(owner, 1)
  // Support reads books without a lock: what is not posted yet counts as used.
  const books = await database.server.transaction().execute((trx) => readBooks(trx, owner))
  expect(books).toMatchObject({ plan: { balance: 2 }, used_open: 8 })
})

test('an owner whose usage is summed no more has all of it posted, and then one transfer for each report', async () => {
  const owner = await summing({ purchased: 10 })
  await use(owner, 1)
  await use(owner, 1)
  await sumUsage(database.worker, owner, false)
  await use(owner, 2)
  await spendCreditsMany(database.server, [usageOf(owner, 1), usageOf(owner, 1)])
  expect((await transfersOf(owner)).slice(1)).toEqual([
    ['usage', -2, 2],
    ['usage', -2, 0],
    ['usage', -1, 0],
    ['usage', -1, 0],
  ])
})

test('a report that is rolled back leaves nothing, and a sum that is rolled back stays open', async () => {
  const owner = await summing({ purchased: 10 })
  await use(owner, 1)
  const report = usageOf(owner, 2)
  const crash = (work: (trx: Parameters<typeof lockOwner>[0]) => Promise<unknown>) =>
    expect(
      database.owner.transaction().execute(async (trx) => {
        await work(trx)
        throw new Error('crash')
      }),
    ).rejects.toThrow('crash')
  await crash((trx) => spendCredits(trx, report))
  await crash((trx) => postSums(trx, { older_than_ms: 0 }))
  expect(await balance(owner)).toMatchObject({ total: 9 })
  expect(await spendCredits(database.server, report)).toMatchObject({ outcome: 'posted', purchased: 7 })
  await postAll()
  expect((await transfersOf(owner)).slice(1)).toEqual([['usage', -3, 2]])
})

test('a sum is posted when it is old enough, and not before, and an owner who is locked is left for the next time', async () => {
  await postAll()
  const owner = await summing({ purchased: 10 })
  expect(await findOldestSumSeconds(database.server)).toBe(0)
  await use(owner, 1)
  expect(await findOldestSumSeconds(database.server)).toBeGreaterThan(0)
  expect(await postSums(database.worker, { older_than_ms: 3_600_000 })).toBe(0)
  await database.owner.transaction().execute(async (trx) => {
    await sql`SELECT FROM ledger_owners WHERE owner_id = ${owner.owner_id} FOR UPDATE`.execute(trx)
    expect(await postAll()).toBe(0)
  })
  expect(await postAll()).toBe(1)
})

test('history, explanation and sums show usage that is not posted yet as the transfer that it will be', async () => {
  const owner = await summing({ plan: 2, purchased: 10 })
  await use(owner, 1, { reason: 'First' })
  await use(owner, 3, { actor: 'user_bob', occurred_at: later(5) })
  const read = async () => {
    const { entries } = await listHistory(database.server, owner, { limit: 10 })
    const { changes, closing, opening } = await explainBalance(database.server, owner, { limit: 10 })
    return {
      entries: entries.map(({ amount, balance_after, reports, reason }) => [
        amount,
        balance_after,
        reports,
        reason,
      ]),
      changes: changes.map(({ change, after, reports, reason }) => [change, after, reports, reason]),
      bounds: [closing, opening],
      reports: await listReports(database.server, owner, {
        transfer_id: changes[0]?.transfer_id ?? 0,
        limit: 10,
      }),
      used: await sumUsageSince(database.server, owner, {
        since: new Date('2026-11-20T00:00:00Z'),
        now: noon,
      }),
      periods: await sumPeriods(database.server, owner, [
        new Date('2026-11-19T00:00:00Z'),
        new Date('2026-11-20T00:00:00Z'),
      ]),
      first: changes.slice(0, 1).map(({ transfer_id, occurred_at }) => [transfer_id, occurred_at]),
    }
  }
  const open = await read()
  expect(open.entries.slice(0, 2)).toEqual(
    expect.arrayContaining([
      [-2, 0, 2, '2 reports of usage'],
      [-2, 8, 2, '2 reports of usage'],
    ]),
  )
  expect(open).toMatchObject({
    bounds: [
      { plan: 0, purchased: 8 },
      { plan: 0, purchased: 0 },
    ],
    reports: [
      { ordinal: 1, credits: 1, actor: 'user_ada', reason: 'First' },
      { ordinal: 2, credits: 3, actor: 'user_bob', reason: 'Completion', occurred_at: later(5) },
    ],
    used: 4,
    periods: [{ used: 0 }, { used: 4 }],
  })
  const [top] = (await explainBalance(database.server, owner, { limit: 1 })).changes
  expect(top).toMatchObject({ is_open: true, reports: 2 })
  const yesterday = await explainBalance(database.server, owner, {
    limit: 5,
    until: new Date('2026-11-20T00:00:00Z'),
  })
  expect(yesterday.closing).toEqual({ plan: 2, purchased: 10 })
  await postAll()
  expect(await read()).toEqual(open)
})

test('a page goes on below the sum that is open, also when it was posted meanwhile', async () => {
  const owner = await summing({ purchased: 10 })
  await giveCredits(database, owner, { purchased: 5 })
  await use(owner, 1)
  const first = await explainBalance(database.server, owner, { limit: 1 })
  expect(first.changes).toMatchObject([{ is_open: true, after: { purchased: 14 } }])
  await use(owner, 1)
  await postAll()
  const rest = await explainBalance(database.server, owner, { limit: 5, before: first.next ?? 0 })
  expect(rest.changes.map(({ after }) => after.purchased)).toEqual([15, 10])
})

test('a proof goes no further than the first sum that is open', async () => {
  await postAll()
  const owner = await summing({ purchased: 10 })
  const other = await summing({ purchased: 10 })
  await use(owner, 1)
  await giveCredits(database, other, { purchased: 5 })
  expect(await problems({ keepProof: true })).toEqual([])
  await use(owner, 1)
  await postAll()
  expect(await problems({ incremental: true, keepProof: true })).toEqual([])
  expect(await problems()).toEqual([])
})

test('a report that somebody changes, removes or adds is found, before and after its sum is posted', async () => {
  await postAll()
  const owner = await summing({ purchased: 10 })
  await use(owner, 1)
  await use(owner, 2)
  const find = async (change: string, undo: string) => {
    const run = (text: string) =>
      sql.raw(text.replaceAll('ME', `'${owner.owner_id}'`)).execute(database.owner)
    const disable = (state: 'DISABLE' | 'ENABLE') =>
      sql.raw(`ALTER TABLE ledger_reports ${state} TRIGGER USER`).execute(database.owner)
    await disable('DISABLE')
    await run(change)
    const found = new Set((await problems()).map(({ check }) => check))
    await run(undo)
    await disable('ENABLE')
    return [...found].sort()
  }
  const raise = [
    'UPDATE ledger_reports SET credits = 3 WHERE owner_id = ME AND ordinal = 2',
    'UPDATE ledger_reports SET credits = 2 WHERE owner_id = ME AND ordinal = 2',
  ] as const
  const rename = [
    `UPDATE ledger_reports SET actor = 'user_eve' WHERE owner_id = ME AND ordinal = 1`,
    `UPDATE ledger_reports SET actor = 'user_ada' WHERE owner_id = ME AND ordinal = 1`,
  ] as const
  const remove = [
    'CREATE TABLE removed AS SELECT * FROM ledger_reports WHERE owner_id = ME; DELETE FROM ledger_reports WHERE owner_id = ME',
    'INSERT INTO ledger_reports SELECT * FROM removed; DROP TABLE removed',
  ] as const
  const add = [
    `INSERT INTO ledger_reports SELECT transfer_id - 1, occurred_at, reported_at, credits, ordinal, owner_id, idempotency_key || '/more', actor, reason
     FROM ledger_reports WHERE owner_id = ME AND ordinal = 1`,
    `DELETE FROM ledger_reports WHERE owner_id = ME AND idempotency_key LIKE '%/more'`,
  ] as const
  expect(await find(...raise)).toEqual([
    'every report is kept under its key',
    'every sum is that of its reports',
  ])
  expect(await find(...remove)).toEqual([
    'every key has its transfer',
    'every sum is that of its reports',
    'reports of a sum run 1, 2, 3 without gaps',
  ])
  expect(await find(...add)).toEqual(['every report of usage is part of a sum'])
  await postAll()
  expect(await find(...remove)).toEqual([
    'every key has its transfer',
    'every sum is that of its reports',
    'reports of a sum run 1, 2, 3 without gaps',
    'the hash of a sum covers its reports',
  ])
  expect(await find(...add)).toEqual(['every report of usage is part of a sum'])
  expect(await find(...raise)).toEqual([
    'every report is kept under its key',
    'every sum is that of its reports',
    'the hash of a sum covers its reports',
  ])
  expect(await find(...rename)).toEqual(['the hash of a sum covers its reports'])
  expect(await problems()).toEqual([])
})

test('a day of the statement is not closed while usage of it waits to be posted', async () => {
  await postAll()
  const owner = await summing({ purchased: 10 })
  await database.worker
    .insertInto('statement_days')
    .values({ date: new Date('2026-11-20T00:00:00Z'), read_at: later(24 * 3600) })
    .execute()
  await use(owner, 1)
  const close = () =>
    closeStatementDays(database.worker, { proven_until: later(48 * 3600), now: later(48 * 3600) })
  expect(await close()).toBe(0)
  await postAll()
  expect(await close()).toBe(1)
})

test('reports cannot be changed or removed, and nobody but the ledger adds one', async () => {
  const owner = await summing({ purchased: 10 })
  await use(owner, 1)
  for (const statement of [
    'UPDATE ledger_reports SET credits = 2',
    'DELETE FROM ledger_reports',
    'TRUNCATE ledger_reports',
  ]) {
    await expect(sql.raw(statement).execute(database.owner)).rejects.toThrow('append-only')
  }
  for (const role of [database.server, database.worker]) {
    await expect(sql`INSERT INTO ledger_reports SELECT * FROM ledger_reports`.execute(role)).rejects.toThrow(
      'permission denied',
    )
  }
  await expect(sumUsage(database.server, owner, false)).rejects.toThrow('permission denied')
})
