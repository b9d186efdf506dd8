import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../../database/connect.ts'
import { digestKept, digestOpenings } from './digests.ts'
import { ArchiveRefusedError } from './errors.ts'
import { keptOf, latestOpenings } from './kept.ts'

/** A range of months that leaves the ledger: `first_transfer_id <= id < end_transfer_id`. */
export interface ArchiveRange {
  readonly first_transfer_id: number
  readonly end_transfer_id: number
  /** Of its partitions, in their order. */
  readonly months: readonly string[]
}

/**
 * Writes down what the books go on from without the months of a range, and the range itself, in one
 * transaction: from then on nothing that decides reads them. Refuses unless that agrees with what was proven.
 * Nothing can be posted in the range any more.
 */
export async function closeRange(
  db: Database,
  range: ArchiveRange,
  proven: { readonly heads_digest: Buffer },
): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const id = await nextArchiveId(trx)
      const { digest: heads_digest_before } = await digestOpenings(latestOpenings(trx))
      // Postgres expects ten rows of these joins, and would look up each of a million entries by itself.
      await sql`SELECT set_config('work_mem', '64MB', true), set_config('enable_nestloop', 'off', true)`.execute(
        trx,
      )
      await insertOpenings(trx, id, range)
      await insertSums(trx, id, range)
      const { digest: heads_digest } = await digestOpenings(latestOpenings(trx))
      if (!heads_digest.equals(proven.heads_digest)) {
        throw new ArchiveRefusedError('The openings are not what was proven. Nothing was written.')
      }
      await trx
        .insertInto('ledger_archives')
        .values({
          id,
          ...range,
          months: [...range.months],
          ...(await countRows(trx, range)),
          heads_digest_before,
          heads_digest,
          kept_digest: await digestKept(keptOf(trx, id)),
        })
        .execute()
    })
}

async function nextArchiveId(trx: DatabaseTransaction): Promise<number> {
  const { rows } = await sql<{
    id: number
  }>`SELECT coalesce(max(id), 0) + 1 AS id FROM ledger_archives`.execute(trx)
  return rows[0]?.id ?? 1
}

/** Ids are written into the statement, so that Postgres looks at no other month. */
function isIn(column: string, { first_transfer_id, end_transfer_id }: ArchiveRange) {
  const id = sql.ref(column)
  return sql`${id} >= ${sql.lit(first_transfer_id)} AND ${id} < ${sql.lit(end_transfer_id)}`
}

async function insertOpenings(
  trx: DatabaseTransaction,
  archiveId: number,
  range: ArchiveRange,
): Promise<void> {
  await sql`
    INSERT INTO ledger_openings (owner_id, account_id, archive_id, transfer_id, version, balance, hash, used)
    SELECT last.owner_id, last.account_id, ${archiveId}, last.transfer_id, e.version, e.balance_after, e.hash,
      last.used + coalesce(earlier.used, 0)
    FROM (
      SELECT e.owner_id, e.account_id, max(e.transfer_id) AS transfer_id,
        coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('usage', 'usage_moved')), 0)::bigint AS used
      FROM ledger_entries e JOIN ledger_transfers t ON t.owner_id = e.owner_id AND t.id = e.transfer_id
      WHERE e.version IS NOT NULL AND ${isIn('e.transfer_id', range)} AND ${isIn('t.id', range)}
      GROUP BY e.owner_id, e.account_id) last
    JOIN ledger_entries e ON e.owner_id = last.owner_id AND e.account_id = last.account_id AND e.transfer_id = last.transfer_id
      AND ${isIn('e.transfer_id', range)}
    -- Read before anything is inserted: looked up one by one, each look-up would read all that this statement has inserted so far.
    LEFT JOIN (
      SELECT DISTINCT ON (owner_id, account_id) owner_id, account_id, used FROM ledger_openings
      ORDER BY owner_id, account_id, archive_id DESC) earlier ON earlier.owner_id = last.owner_id AND earlier.account_id = last.account_id`.execute(
    trx,
  )
}

async function insertSums(trx: DatabaseTransaction, archiveId: number, range: ArchiveRange): Promise<void> {
  await sql`
    INSERT INTO ledger_archived_sums (owner_id, grant_id, archive_id, account_id, gross, refunded, disputed, expired, written_off, adjusted,
      transfers)
    SELECT t.owner_id, t.grant_id, ${archiveId}, a.id,
      coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0),
      coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0),
      coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0),
      coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0),
      coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0),
      coalesce(sum(e.amount) FILTER (WHERE t.kind = 'adjustment'), 0),
      count(*)
    FROM ledger_transfers t
    JOIN ledger_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
    JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account
    LEFT JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id AND ${isIn('e.transfer_id', range)}
    WHERE t.grant_id IS NOT NULL AND ${isIn('t.id', range)}
    GROUP BY t.owner_id, t.grant_id, a.id`.execute(trx)
}

async function countRows(trx: DatabaseTransaction, range: ArchiveRange) {
  const { rows } = await sql<{ transfers: number; entries: number; keys: number }>`
    SELECT (SELECT count(*) FROM ledger_transfers WHERE ${isIn('id', range)}) AS transfers,
      (SELECT count(*) FROM ledger_entries WHERE ${isIn('transfer_id', range)}) AS entries,
      (SELECT count(*) FROM ledger_keys WHERE ${isIn('transfer_id', range)}) AS keys`.execute(trx)
  const [counts] = rows
  if (!counts) throw new Error('Postgres counted nothing')
  return counts
}
