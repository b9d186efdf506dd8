import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../tests/support/database/test-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
  user,
} from '../../tests/support/factories/grants.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { connectDatabase } from '../database/connect.ts'
import type { Owner } from './accounts.ts'
import { type ArchiveOptions, archiveMonths } from './archive.ts'
import { findBalance } from './balances.ts'
import { closeMonth, readBooks, readGrant } from './books.ts'
import type { Grant } from './grants.ts'
import { listHistory } from './history.ts'
import { checkoutKey } from './keys.ts'
import { makeLedgerMonths } from './months.ts'
import { postTransfer, postTransfers } from './post.ts'
import { spendCredits } from './usage.ts'
import { checkArchives } from './verify/archives.ts'
import { verifyLedger } from './verify.ts'

const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')

const database = madeForEachTest(createTestDatabase, (made) => made.close())
const owner = madeForEachTest(
  () =>
    connectDatabase({ connectionString: database.url, role: 'owner', poolMax: 8, onError: () => undefined }),
  (made) => made.close(),
)
const folder = madeForEachTest(
  async () => ({ path: await mkdtemp(join(tmpdir(), 'archive-')) }),
  (made) => rm(made.path, { recursive: true }),
)

/** Lets the database believe that so many months have passed. */
async function passMonths(count: number): Promise<void> {
  await sql
    .raw(`CREATE OR REPLACE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
      SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000)
        + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1 + ${count} $$`)
    .execute(database.owner)
  await makeLedgerMonths(database.owner, 1)
}

/** `2025-01`: so many months after the present one. */
async function monthAfter(count: number): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(months => ${count}), 'YYYY-MM') AS month`.execute(
    database.owner,
  )
  return rows[0]?.month ?? ''
}

/** Archives what was posted before the month number `before`. */
async function archive(before: number, options: Partial<ArchiveOptions> = {}) {
  return archiveMonths(owner, { before: await monthAfter(before), to: folder.path, ...options })
}

const problemsOf = async (options = {}) => (await verifyLedger(database.owner, options)).problems
const booksOf = () => database.worker.transaction().execute((trx) => readBooks(trx, ada))

/** The same report whenever it comes. */
const report = (key: string, credits: number) =>
  spendCredits(database.server, {
    ...ada,
    credits,
    idempotency_key: key,
    occurred_at: new Date('2026-09-03T00:00:00Z'),
    actor: ada.owner_id,
    reason: 'Line\nbreak\tand \\ and \u2028',
  })

/** Somebody with a database administrator's powers switches the triggers off. */
async function tamper(statement: string): Promise<void> {
  await sql
    .raw(`SET session_replication_role = replica; ${statement}; RESET session_replication_role`)
    .execute(database.owner)
}

let ada: Owner
let bought: Grant
let monthly: Grant

/** Month 0: a settled purchase, a month of a plan, usage. Month 1: usage, the end of the plan's month, the next one. Month 2: some usage. */
async function fillMonths(): Promise<void> {
  const intent = await buildPurchase(database.server, {
    stripe_session_id: 'cs_1',
    credits: 500,
  })
  await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'settled', settled_at: new Date() })
    .where('id', '=', intent.id)
    .execute()
  ada = user(intent.user_id)
  bought = buildPurchaseGrant(ada, intent.id)
  monthly = buildMonthGrant(ada, september)
  const next = buildMonthGrant(ada, october)
  await passMonths(0)
  await postTransfers(database.worker, [
    buildTransfer(
      bought,
      { kind: 'credit_purchase', ordinal: 1, amount: 500 },
      { idempotency_key: checkoutKey('cs_1'), intent_id: intent.id },
    ),
    buildTransfer(monthly, { kind: 'plan_grant', ordinal: 1, amount: 1000 }),
  ])
  await report('first', 100)
  await passMonths(1)
  await report('second', 30)
  await database.worker.transaction().execute(async (trx) => {
    await postTransfer(trx, buildTransfer(monthly, { kind: 'expiry', ordinal: 2, amount: -870 }))
    await closeMonth(trx, ada, {
      stripe_subscription_id: `sub_${ada.owner_id}`,
      starts_at: september,
      used: 130,
    })
  })
  await postTransfer(database.worker, buildTransfer(next, { kind: 'plan_grant', ordinal: 1, amount: 1000 }))
  await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 2, amount: -50 }))
  await passMonths(2)
  await report('third', 7)
  await passMonths(6)
}

beforeEach(fillMonths)

describe('months that were archived', () => {
  test('are gone from the database, and nothing that decides notices', async () => {
    const before = { books: await booksOf(), balance: await findBalance(database.server, ada) }
    const result = await archive(2)
    expect(result.finished).toHaveLength(1)
    const { rows } = await sql<{ left: number }>`SELECT count(*) AS left FROM ledger_transfers`.execute(
      database.owner,
    )
    expect(rows).toEqual([{ left: 1 }])
    expect({ books: await booksOf(), balance: await findBalance(database.server, ada) }).toEqual(before)
    expect(await problemsOf()).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])

    // A report comes again, the same and another.
    expect(await report('first', 100)).toMatchObject({ outcome: 'replayed', plan: before.balance.plan })
    await expect(report('first', 101)).rejects.toThrow('another input')
    expect(await report('fourth', 3)).toMatchObject({ outcome: 'posted' })
    // A refund of a purchase whose transfers are all archived.
    expect(await readGrant(database.worker, bought.id)).toMatchObject({
      gross: 500,
      refunded: 50,
      transfers: 2,
    })
    await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 3, amount: -450 }))
    expect(await readGrant(database.worker, bought.id)).toMatchObject({
      gross: 500,
      refunded: 500,
      transfers: 3,
    })
    expect(await problemsOf({ keepProof: true })).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 4, amount: -1 }))
    const tooMuch = {
      check: 'no more is taken back of a grant than it brought',
      subject: `grant ${bought.id}`,
    }
    expect(await problemsOf()).toEqual([tooMuch])
    expect(await problemsOf({ incremental: true })).toEqual([tooMuch])
  })

  test('can be followed by further ones', async () => {
    await archive(1)
    await archive(2)
    await archive(3)
    expect((await readdir(folder.path)).length).toBe(3)
    expect(await problemsOf()).toEqual([])
    await report('fourth', 3)
    expect(await problemsOf({ keepProof: true })).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    expect((await archive(3)).finished).toEqual([])
  })

  test('end the history', async () => {
    await archive(2)
    const page = await listHistory(database.server, ada, { limit: 10 })
    expect(page.entries.map(({ amount }) => amount)).toEqual([-7])
  })
})

describe('what is kept of them', () => {
  const changes = [
    ['UPDATE ledger_openings SET balance = balance + 1', 'the openings are the end of the last archive'],
    ["UPDATE ledger_openings SET hash = sha256('')", 'the openings are the end of the last archive'],
    ['UPDATE ledger_openings SET used = used + 1', 'what is kept of an archive is what was written down'],
    ['DELETE FROM ledger_openings', 'the openings are the end of the last archive'],
    [
      'UPDATE ledger_archived_sums SET gross = gross + 1',
      'what is kept of an archive is what was written down',
    ],
    ['DELETE FROM ledger_archived_sums', 'what is kept of an archive is what was written down'],
    [
      "DELETE FROM ledger_keys WHERE idempotency_key LIKE '%first'",
      'the keys of archived transfers are all there',
    ],
    [
      'UPDATE ledger_archives SET first_transfer_id = 1',
      'every archive goes on where the one before it ended',
    ],
  ] as const

  test('is proven with the books', async () => {
    await archive(2)
    for (const [change, check] of changes) expect(await problemsAfter(change), change).toContain(check)
    expect(await problemsOf()).toEqual([])
    await tamper(changes[0][0])
    expect((await problemsOf()).map((problem) => problem.check)).toContain(changes[0][1])
  })

  /** The checks that find a change, which is undone. */
  async function problemsAfter(change: string): Promise<string[]> {
    const found: string[] = []
    const trx = await database.owner.startTransaction().execute()
    await sql.raw(`SET LOCAL session_replication_role = replica; ${change}`).execute(trx)
    await checkArchives(trx, (check) => found.push(check))
    await trx.rollback().execute()
    return found
  }
})

test('months that are still shown, or that somebody may still need, are refused', async () => {
  await expect(archive(4)).rejects.toThrow('the last ones are still shown')
  await sql`INSERT INTO statement_days (date, livemode, read_at) VALUES ((now() - interval '10 months')::date, false, now())`.execute(
    database.owner,
  )
  await expect(archive(2)).rejects.toThrow('is not closed yet')
  expect(await readdir(folder.path)).toEqual([])
})

test('books that are not right are not archived', async () => {
  await tamper('UPDATE ledger_entries SET amount = amount + 1')
  await expect(archive(2)).rejects.toThrow('The books are not right')
})
