import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../tests/support/database/test-database.ts'
import { buildPurchaseGrant, buildTransfer, use, user } from '../../../tests/support/factories/grants.ts'
import { buildGrant, postTransfer, spendOne } from '../../../tests/support/factories/transfers.ts'
import { madeForEachTest } from '../../../tests/support/made.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { Grant } from '../grants.ts'
import { findBalance } from '../read/balances.ts'
import { explainBalance } from '../read/explanation.ts'
import { sumUsageSince } from '../spend/usage.ts'
import { verifyLedger } from '../verify/verify.ts'
import { readPurchaseGrant } from './books.ts'
import { makeLedgerMonths } from './months.ts'
import { postTransfers } from './post.ts'

const ada = user('user_ada')
const database = madeForEachTest(createTestDatabase, (made) => made.close())

/** Lets the database believe that so many months have passed. */
async function passMonths(count: number): Promise<void> {
  await sql
    .raw(`CREATE OR REPLACE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
      SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000)
        + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1 + ${count} $$`)
    .execute(database.owner)
}

/** How many months after the first one each transfer is filed, by its partition and by its id. */
async function monthsOfTransfers(): Promise<number[]> {
  const { rows } = await sql<{ month: number; is_in_it: boolean }>`
    SELECT (t.id >> 40) - min(t.id >> 40) OVER () AS month,
      t.tableoid::regclass::text = ledger_partition_of('ledger_transfers', t.id >> 40)
        AND (SELECT bool_and(e.tableoid::regclass::text = ledger_partition_of('ledger_entries', t.id >> 40))
          FROM ledger_entries e WHERE e.owner_id = t.owner_id AND e.transfer_id = t.id) AS is_in_it
    FROM ledger_transfers t ORDER BY t.id`.execute(database.owner)
  expect(rows.every((row) => row.is_in_it)).toBe(true)
  return rows.map((row) => row.month)
}

const give = (credits: number) => postTransfer(database.worker, buildGrant(ada.owner_id, credits))

test('what is posted is filed under its month, and ids grow', async () => {
  const first = await give(100)
  await passMonths(1)
  const second = await give(20)
  await use(database.server, ada, 5)
  await passMonths(3)
  await use(database.server, ada, 7)
  expect(second.transfer_id).toBeGreaterThan(first.transfer_id)
  expect(await monthsOfTransfers()).toEqual([0, 1, 1, 3])
  expect((await verifyLedger(database.owner, { keepProof: true })).problems).toEqual([])
  await give(1)
  expect((await verifyLedger(database.owner, { incremental: true })).problems).toEqual([])
})

test('a month begins at midnight in UTC, whatever the session’s time zone, the first of a year too', async () => {
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12']) {
    const months = await database.owner.transaction().execute(async (trx) => {
      await sql`SELECT set_config('TimeZone', ${zone}, true)`.execute(trx)
      const { rows } = await sql<{ partition: string }>`
        SELECT ledger_partition_of('ledger_entries', ledger_month_of(moment::timestamptz)) AS partition
        FROM unnest(ARRAY['2026-12-31T23:59:59.999999Z', '2027-01-01T00:00:00Z', '2028-02-29T23:59:59.999999Z', '2028-03-01T00:00:00Z']) moment`.execute(
        trx,
      )
      return rows.map(({ partition }) => partition.slice(-7))
    })
    expect(months).toEqual(['2026_12', '2027_01', '2028_02', '2028_03'])
  }
})

test('a clock that is set back files what is posted behind what was posted before', async () => {
  await passMonths(2)
  await give(1)
  await passMonths(0)
  await give(2)
  await postTransfer(database.worker, buildGrant('user_new', 3))
  expect(await monthsOfTransfers()).toEqual([0, 0, 0])
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

test('a month without partitions is filed in the last one that is there', async () => {
  await give(1)
  await passMonths(3)
  await give(2)
  await passMonths(50)
  await give(3)
  expect(await monthsOfTransfers()).toEqual([0, 3, 3])
  await makeLedgerMonths(database.worker, 3)
  await give(4)
  expect(await monthsOfTransfers()).toEqual([0, 3, 3, 50])
})

test('many who begin a month at the same moment draw different ids', async () => {
  const owners = Array.from({ length: 20 }, (_, index) => `user_${index}`)
  await Promise.all(owners.map((id) => postTransfer(database.worker, buildGrant(id, 10))))
  await passMonths(1)
  const posted = await Promise.all(owners.map((id) => postTransfer(database.worker, buildGrant(id, 1))))
  expect(new Set(posted.map(({ transfer_id }) => transfer_id)).size).toBe(owners.length)
  expect(await monthsOfTransfers()).toEqual([...owners.map(() => 0), ...owners.map(() => 1)])
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

// Decision 131 says what may happen when a month is made while others make it or post in it, and why it does
// not when months are made ahead.
test('months are made ahead once, however many make them at the same moment', async () => {
  await passMonths(7)
  await Promise.all([1, 2, 3].map(() => makeLedgerMonths(database.worker, 3)))
  await makeLedgerMonths(database.worker, 3)
  const { rows } = await sql<{ made: number }>`
    SELECT count(*) AS made FROM generate_series(ledger_month_of(now()), ledger_month_of(now()) + 5) month
    WHERE to_regclass(ledger_partition_of('ledger_entries', month)) IS NOT NULL`.execute(database.owner)
  expect(rows).toEqual([{ made: 4 }])
})

test('a new month is made while one session posts and another reads', async () => {
  await give(10)
  await passMonths(9)
  await database.worker.transaction().execute(async (posting) => {
    await postTransfer(posting, buildGrant(ada.owner_id, 1))
    await database.server.transaction().execute(async (reading) => {
      await explainBalance(reading, ada, { limit: 10 })
      await makeLedgerMonths(database.owner, 3)
      await explainBalance(reading, ada, { limit: 10 })
    })
    await postTransfer(posting, buildGrant(ada.owner_id, 1))
  })
  await give(1)
  expect(await findBalance(database.server, ada)).toMatchObject({ total: 13 })
  // Whether a transaction that has looked for the month before it was made sees it then is up to Postgres.
  expect((await monthsOfTransfers()).with(2, 0)).toEqual([0, 0, 0, 9])
})

test('pages and explanations run over months', async () => {
  for (const month of [0, 1, 2]) {
    await passMonths(month)
    await postTransfers(database.worker, [buildGrant(ada.owner_id, 10), buildGrant(ada.owner_id, 1)])
  }
  const page = await explainBalance(database.server, ada, { limit: 4 })
  expect(page.changes.map(({ change, after }) => [change.purchased, after.purchased])).toEqual([
    [1, 33],
    [10, 32],
    [1, 22],
    [10, 21],
  ])
  const rest = await explainBalance(database.server, ada, { limit: 4, before: page.next ?? undefined })
  expect(rest.changes.map(({ after }) => after.purchased)).toEqual([11, 10])
  const until = new Date(Date.now() + 60_000)
  const explained = await explainBalance(database.server, ada, { limit: 10, until })
  expect(explained.changes.map(({ transfer_id }) => transfer_id)).toEqual(
    [...page.changes, ...rest.changes].map(({ transfer_id }) => transfer_id),
  )
  expect(explained).toMatchObject({ closing: { purchased: 33 }, opening: { purchased: 0 } })
})

/** What of the ledger's months a statement looks into, as `_2025_01`. */
async function monthsRead(statement: (trx: DatabaseTransaction) => Promise<unknown>): Promise<string[]> {
  return database.owner.transaction().execute(async (trx) => {
    await statement(trx)
    const { rows } = await sql<{ month: string }>`
      SELECT DISTINCT substring(relname from '_\\d{4}_\\d\\d$') AS month FROM pg_stat_xact_user_tables
      WHERE relname ~ '^ledger_(entries|transfers)_' AND coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 ORDER BY 1`.execute(
      trx,
    )
    return rows.map(({ month }) => month)
  })
}

/** The month in which was posted last. */
async function latestMonth(): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    SELECT ledger_partition_of('', max(id) >> 40) AS month FROM ledger_transfers`.execute(database.owner)
  return rows[0]?.month ?? ''
}

test('a grant is summed without looking into the months before its first transfer', async () => {
  const early = buildPurchaseGrant(ada)
  const buy = (grant: Grant) =>
    postTransfer(database.worker, buildTransfer(grant, { kind: 'credit_purchase', ordinal: 1, amount: 10 }))
  await buy(early)
  for (const month of [1, 2, 3]) {
    await passMonths(month)
    await give(1)
  }
  const late = [buildPurchaseGrant(ada), buildPurchaseGrant(ada)] as const
  await buy(late[0])
  await postTransfers(database.worker, [
    buildTransfer(late[1], { kind: 'credit_purchase', ordinal: 1, amount: 10 }),
    buildTransfer(early, { kind: 'refund', ordinal: 2, amount: -10 }),
  ])
  for (const grant of late) {
    const read = await monthsRead(async (trx) =>
      expect(await readPurchaseGrant(trx, grant.intent_id ?? '')).toMatchObject({ gross: 10, transfers: 1 }),
    )
    expect(read[0]).toBe(await latestMonth())
  }
  expect(await readPurchaseGrant(database.worker, early.intent_id ?? '')).toMatchObject({
    gross: 10,
    refunded: 10,
    transfers: 2,
  })
})

test('usage since a moment is summed without looking into the months before it', async () => {
  await give(100)
  await use(database.server, ada, 1)
  await passMonths(2)
  await use(database.server, ada, 2)
  const hourAgo = new Date(Date.now() - 3_600_000)
  const read = await monthsRead(async (trx) =>
    expect(await sumUsageSince(trx, ada, { since: hourAgo, now: new Date() })).toBe(2),
  )
  // Months that are made ahead hold nothing.
  expect(read[0]).toBe(await latestMonth())
  // The sandbox's clock may be months ahead: what occurs by it is filed in the months that really passed.
  const ahead = (time: number) => new Date(time + 100 * 86_400_000)
  const report = {
    idempotency_key: 'ahead',
    occurred_at: ahead(Date.now()),
    actor: ada.owner_id,
    reason: 'Test',
  }
  await spendOne(database.server, { ...ada, credits: 4, ...report })
  const since = ahead(hourAgo.getTime())
  expect(await sumUsageSince(database.server, ada, { since, now: ahead(Date.now()) })).toBe(4)
})

test('the entries of an account are read from the newest month down, and no further', async () => {
  for (const month of [0, 1, 2]) {
    await passMonths(month)
    for (let posted = 0; posted < 3; posted++) await give(1)
  }
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off)
    SELECT e.transfer_id FROM ledger_owners o CROSS JOIN LATERAL (
      SELECT transfer_id FROM ledger_entries WHERE owner_id = o.owner_id AND account_id = o.purchased_account_id
        AND transfer_id < 9007199254740991 ORDER BY transfer_id DESC LIMIT 2) e
    WHERE o.owner_id = ${ada.owner_id}`.execute(database.owner)
  const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => /on ledger_entries_2/.test(line))
  expect(scans.filter((line) => /rows=[1-9]/.test(line))).toHaveLength(1)
  expect(scans.filter((line) => /never executed/.test(line)).length).toBeGreaterThanOrEqual(2)
})

test('a session is granted to one owner only, and reports of different owners may have one key', async () => {
  const grant = { ...buildGrant('user_ada', 5), idempotency_key: 'checkout/cs_1' }
  const other = { ...buildGrant('user_eve', 5), idempotency_key: 'checkout/cs_1' }
  await postTransfer(database.worker, grant)
  await expect(postTransfer(database.worker, other)).rejects.toHaveProperty(
    'name',
    'IdempotencyConflictError',
  )
  expect((await findBalance(database.server, user('user_eve'))).total).toBe(0)
  const racing = ['user_bob', 'user_cid', 'user_dan'].map((id) =>
    postTransfer(database.worker, { ...buildGrant(id, 5), idempotency_key: 'checkout/cs_2' }),
  )
  const results = await Promise.allSettled(racing)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toHaveProperty('name', 'IdempotencyConflictError')
  }
})
