import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { connectDatabase } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { type ArchiveOptions, archiveMonths } from '../../schema/ledger/archive/archive.ts'
import type { Grant } from '../../schema/ledger/grants.ts'
import { checkoutKey } from '../../schema/ledger/keys.ts'
import { type Books, closeMonth, readBooks } from '../../schema/ledger/post/books.ts'
import { makeLedgerMonths } from '../../schema/ledger/post/months.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { createTestDatabase, type TestDatabase } from './database/test-database.ts'
import { buildMonthGrant, buildPurchaseGrant, buildTransfer, user } from './factories/grants.ts'
import { buildSettledPurchase } from './factories/purchases.ts'
import { giveCredits, postTransfer, spendOne } from './factories/transfers.ts'
import { madeForEachTest } from './made.ts'

const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')

const pool: Owner = { owner_kind: 'organization', owner_id: 'org_pool' }

/** Before each test a database whose ledger has months that may be archived, and an empty folder for them. */
export function monthsToArchive() {
  const database = madeForEachTest(createTestDatabase, (made) => made.close())
  const owner = madeForEachTest(
    () =>
      connectDatabase({
        connectionString: database.url,
        role: 'owner',
        poolMax: 8,
        onError: () => undefined,
      }),
    (made) => made.close(),
  )
  const folder = madeForEachTest(
    async () => ({ path: await mkdtemp(join(tmpdir(), 'archive-')) }),
    (made) => rm(made.path, { recursive: true }),
  )
  const filled = madeForEachTest(() => fillMonths(database))

  return {
    database,
    folder,
    /** The owners of these months and their books. */
    filled,
    pool,

    passMonths: (count: number) => passMonths(database, count),
    monthAfter: (count: number) => monthAfter(database, count),

    /** The same report whenever it comes. */
    report: (key: string, credits: number, payer = filled.ada) => report(database, { key, credits, payer }),

    /** Archives transfers posted before the month number `before`. */
    archive: async (before: number, options: Partial<ArchiveOptions> = {}) =>
      archiveMonths(owner, { before: await monthAfter(database, before), to: folder.path, ...options }),

    /** The files of all archives, in their order. */
    async filesOf(table: string): Promise<string[]> {
      const names = await readdir(folder.path, { recursive: true })
      return names
        .filter((name) => name.endsWith('.copy.gz') && basename(name).startsWith(table))
        .sort()
        .map((name) => join(folder.path, name))
    },
  }
}

/** Makes the database's ledger months run so many months ahead. */
export async function passMonths({ owner }: Pick<TestDatabase, 'owner'>, count: number): Promise<void> {
  await sql
    .raw(`CREATE OR REPLACE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
      SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000)
        + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1 + ${count} $$`)
    .execute(owner)
  await makeLedgerMonths(owner, 1)
}

/** `2025-01`: the month so many months after the present one. */
export async function monthAfter({ owner }: Pick<TestDatabase, 'owner'>, count: number): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(months => ${count}), 'YYYY-MM') AS month`.execute(
    owner,
  )
  return rows[0]?.month ?? ''
}

function report(
  { server }: Pick<TestDatabase, 'server'>,
  { key, credits, payer }: { key: string; credits: number; payer: Owner },
) {
  return spendOne(server, {
    ...payer,
    credits,
    idempotency_key: key,
    occurred_at: new Date('2026-09-03T00:00:00Z'),
    actor: 'user_editor',
    reason: 'Line\nbreak\tand \\ and \u2028',
    model: 'a model',
    project: 'a project',
    run: 'a run',
  })
}

/**
 * Month 0: a settled purchase, a month of a plan, usage. Month 1: usage, the end of the plan's month, the
 * next one, and usage of a pool. Month 2: some usage.
 */
async function fillMonths(database: TestDatabase): Promise<{ ada: Owner; bought: Grant; books: Books }> {
  const intent = await buildSettledPurchase(database, { stripe_session_id: 'cs_1', credits: 500 })
  const ada = user(intent.user_id)
  const bought = buildPurchaseGrant(ada, intent.id)
  const monthly = buildMonthGrant(ada, september)
  const next = buildMonthGrant(ada, october)
  await passMonths(database, 0)
  await postTransfers(database.worker, [
    buildTransfer(
      bought,
      { kind: 'credit_purchase', ordinal: 1, amount: 500 },
      { idempotency_key: checkoutKey('cs_1'), intent_id: intent.id },
    ),
    buildTransfer(monthly, { kind: 'plan_grant', ordinal: 1, amount: 1000 }),
  ])
  await report(database, { key: 'first', credits: 100, payer: ada })
  await passMonths(database, 1)
  await report(database, { key: 'second', credits: 30, payer: ada })
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
  await giveCredits(database, pool, { purchased: 100 })
  await report(database, { key: 'pooled', credits: 3, payer: pool })
  await report(database, { key: 'pooled too', credits: 4, payer: pool })
  await passMonths(database, 2)
  await report(database, { key: 'third', credits: 7, payer: ada })
  await passMonths(database, 6)
  const books = await database.worker.transaction().execute((trx) => readBooks(trx, ada))
  return { ada, bought, books }
}

/** Changes one byte in the middle of a file. */
export async function flipByte(file: string): Promise<void> {
  const content = await readFile(file)
  const middle = Math.floor(content.length / 2)
  content[middle] = (content[middle] ?? 0) ^ 1
  await writeFile(file, content)
}
