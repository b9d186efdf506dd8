import { type RawBuilder, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ArchivedSum, Opening } from './digests.ts'

/** The latest opening of each account, of all archives or of those before one, in the order of the accounts' ids. */
export function latestOpenings(trx: DatabaseTransaction, before?: number): AsyncGenerator<Opening> {
  return readAll<Opening>(
    trx,
    'latest_openings',
    sql`
      SELECT DISTINCT ON (account_id) account_id, version, balance, encode(hash, 'hex') AS hash, used
      FROM ledger_openings ${before === undefined ? sql`` : sql`WHERE archive_id < ${sql.lit(before)}`}
      ORDER BY account_id, archive_id DESC`,
  )
}

/** What is kept of one archive, as `digestKept` takes it. */
export function keptOf(trx: DatabaseTransaction, archiveId: number) {
  return {
    openings: readAll<Opening>(
      trx,
      'kept_openings',
      sql`
        SELECT account_id, version, balance, encode(hash, 'hex') AS hash, used
        FROM ledger_openings WHERE archive_id = ${sql.lit(archiveId)} ORDER BY account_id`,
    ),
    sums: readAll<ArchivedSum>(
      trx,
      'kept_sums',
      sql`
        SELECT grant_id, account_id, gross, refunded, disputed, expired, written_off, adjusted, transfers, is_early
        FROM ledger_archived_sums WHERE archive_id = ${sql.lit(archiveId)} ORDER BY grant_id COLLATE "C"`,
    ),
  }
}

const batchSize = 5000

async function* readAll<Row>(
  trx: DatabaseTransaction,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row> {
  const cursor = sql.ref(name)
  await sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Row>`FETCH ${sql.lit(batchSize)} FROM ${cursor}`.execute(trx)
    yield* rows
    if (rows.length < batchSize) break
  }
  await sql`CLOSE ${cursor}`.execute(trx)
}
