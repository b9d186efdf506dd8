import { type Kysely, sql } from 'kysely'
import { retryConflicts } from '../../database/retry.ts'
import type { DB } from '../../database/types.ts'
import type { Owner } from '../accounts.ts'
import { callLedger } from '../call.ts'

/** Sums that one transaction posts: their owners stay locked until it ends. */
const batchSize = 20

/**
 * Posts what was summed and began at least so long ago, the oldest first, or sets aside what cannot be posted (see `listFailedSums`), and returns how many sums that
 * were. An owner whose row is locked is left to whoever holds it, or to the next time.
 */
export async function postSums(
  db: Kysely<DB>,
  {
    older_than_ms,
    sums_max = Number.POSITIVE_INFINITY,
  }: { readonly older_than_ms: number; readonly sums_max?: number },
): Promise<number> {
  let posted = 0
  for (;;) {
    const batch = Math.min(batchSize, sums_max - posted)
    const [row] = await retryConflicts(() =>
      callLedger(
        db,
        sql<{ sums: number }>`
          SELECT ledger_post_sums(make_interval(secs => ${older_than_ms / 1000}), ${batch}) AS sums`,
      ),
    )
    const sums = row?.sums ?? 0
    posted += sums
    if (sums < batchSize || posted === sums_max) return posted
  }
}

/**
 * Says whether the owner's usage is summed by the minute from now on (decision 142). What was summed until now is posted. The owner's lock is
 * held until the transaction ends.
 */
export async function sumUsage(db: Kysely<DB>, owner: Owner, sums_usage: boolean): Promise<void> {
  await callLedger(db, sql`SELECT ledger_sum_usage(${owner.owner_kind}, ${owner.owner_id}, ${sums_usage})`)
}
