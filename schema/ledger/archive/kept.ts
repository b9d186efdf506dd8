import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ArchivedSum, Opening } from './digests.ts'

/** The latest opening of each account, in the order of the accounts' ids. */
export async function* latestOpenings(trx: DatabaseTransaction): AsyncGenerator<Opening> {
  const query = sql<Opening>`
    SELECT DISTINCT ON (account_id) account_id, version, balance, encode(hash, 'hex') AS hash, used
    FROM ledger_openings ORDER BY account_id, archive_id DESC`
  for await (const rows of batchesOfRows(trx, query)) yield* rows
}

/** What is kept of one archive, as `digestKept` takes it. */
export function keptOf(trx: DatabaseTransaction, archiveId: number) {
  return { openings: openingsOf(trx, archiveId), sums: sumsOf(trx, archiveId) }
}

async function* openingsOf(trx: DatabaseTransaction, archiveId: number): AsyncGenerator<Opening> {
  const query = sql<Opening>`
    SELECT account_id, version, balance, encode(hash, 'hex') AS hash, used
    FROM ledger_openings WHERE archive_id = ${sql.lit(archiveId)} ORDER BY account_id`
  for await (const rows of batchesOfRows(trx, query)) yield* rows
}

async function* sumsOf(trx: DatabaseTransaction, archiveId: number): AsyncGenerator<ArchivedSum> {
  const query = sql<ArchivedSum>`
    SELECT grant_id, account_id, gross, refunded, disputed, expired, written_off, adjusted, transfers
    FROM ledger_archived_sums WHERE archive_id = ${sql.lit(archiveId)} ORDER BY grant_id COLLATE "C"`
  for await (const rows of batchesOfRows(trx, query)) yield* rows
}
