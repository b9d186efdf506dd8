import { sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'

/** What of a period was used, and what was bought, included in a plan or given back. Both above zero. */
export interface PeriodSums {
  readonly used: number
  readonly granted: number
}

/** Entries that one statement of a sum reads. */
const sumStep = 5000

/**
 * The sums of each period between two of the times, which are in order, and of the last one until now. Reads
 * the owner's entries from the newest down, until a whole step of them is older than the first time: the cost
 * follows what the owner did since then, not the length of the history. Entries may have occurred in another
 * order than they were posted, but not by so many.
 */
export async function sumPeriods(
  db: ReadDatabase,
  owner_id: string,
  times: readonly Date[],
): Promise<PeriodSums[]> {
  const sums = times.map(() => ({ used: 0, granted: 0 }))
  let before: number | null = Number.MAX_SAFE_INTEGER
  while (before !== null) {
    const step = await sumEntries(db, owner_id, { times, before })
    for (const { period, used, granted } of step.periods) {
      const sum = sums[period - 1]
      if (sum) {
        sum.used += used
        sum.granted += granted
      }
    }
    before = step.periods.length === 0 ? null : step.end
  }
  return sums
}

async function sumEntries(
  db: ReadDatabase,
  owner_id: string,
  { times, before }: { times: readonly Date[]; before: number },
): Promise<{ periods: (PeriodSums & { period: number })[]; end: number | null }> {
  const { rows } = await sql<PeriodSums & { period: number | null; end: number | null }>`
    WITH entry AS MATERIALIZED (
      SELECT of_account.* FROM ledger_accounts account
      CROSS JOIN LATERAL (
        SELECT e.transfer_id, e.amount FROM ledger_entries e
        WHERE e.owner_id = account.owner_id AND e.account_id = account.id AND e.transfer_id < ${before}::bigint
        ORDER BY e.transfer_id DESC LIMIT ${sumStep}) of_account
      WHERE account.owner_id = ${owner_id}
      ORDER BY of_account.transfer_id DESC LIMIT ${sumStep}),
    -- A transfer may have an entry in each account, and is read whole: its second entry may be below the last one of the step.
    bounds AS (SELECT CASE WHEN count(*) = ${sumStep} THEN min(transfer_id) END AS "end" FROM entry),
    dated AS (
      SELECT entry.amount, transfer.kind, width_bucket(transfer.occurred_at, ${times}::timestamptz[]) AS period
      FROM entry CROSS JOIN LATERAL (
        SELECT kind, occurred_at FROM ledger_transfers
        WHERE id = entry.transfer_id AND owner_id = ${owner_id} OFFSET 0) transfer
      WHERE entry.transfer_id <> coalesce((SELECT "end" FROM bounds), 0))
    -- What is written off was never there, and what moved between the accounts is nothing new.
    SELECT period, (SELECT "end" FROM bounds) AS "end",
      coalesce(-sum(amount) FILTER (WHERE kind = 'usage'), 0)::bigint AS used,
      coalesce(sum(amount) FILTER (WHERE amount > 0 AND kind NOT IN ('write_off', 'usage_moved')), 0)::bigint AS granted
    FROM dated GROUP BY period`.execute(db)
  const end = rows[0]?.end ?? null
  return {
    periods: rows.flatMap(({ period, used, granted }) => (period ? [{ period, used, granted }] : [])),
    end: end === null ? null : end + 1,
  }
}
