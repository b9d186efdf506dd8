import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { callLedger } from '../call.ts'

/** A billing month, and the time in which usage belongs to it. */
export interface UsageWindow {
  readonly stripe_subscription_id: string
  readonly starts_at: Date
  readonly from: Date
  readonly until: Date
  /** It begins in the books; otherwise it closes, and only what bought credits paid is counted to it. */
  readonly is_beginning: boolean
}

/** Credits that usage which occurred in a month took of the owner's accounts, above zero. */
export interface UsageInMonth
  extends Pick<UsageWindow, 'stripe_subscription_id' | 'starts_at' | 'is_beginning'> {
  readonly plan: number
  readonly purchased: number
}

/**
 * What an owner used in some months, by when it occurred. Walks down the owner's entries, an index look-up
 * each, to the first usage that is clearly older: clocks of several servers differ, so that usage may be
 * posted in another order than it occurred, but not by an hour, and a hold is settled up to a day after it
 * was opened, which is when its usage occurred. The cost follows what was used since then; of a month that
 * closes, what was used of bought credits. Lock the owner first.
 */
export async function readUsageInMonths(
  trx: DatabaseTransaction,
  owner_id: string,
  windows: readonly UsageWindow[],
): Promise<UsageInMonth[]> {
  if (windows.length === 0) return []
  const starts = windows.map(({ from }) => from.toISOString())
  const ends = windows.map(({ until }) => until.toISOString())
  const begin = windows.map(({ is_beginning }) => is_beginning)
  const entryBelow = (accountId: string, transferId: string) => sql`(
    SELECT e.transfer_id, e.amount, t.kind, t.occurred_at FROM ledger_entries e
    CROSS JOIN LATERAL (
      SELECT kind, occurred_at FROM ledger_transfers WHERE id = e.transfer_id AND owner_id = ${owner_id} OFFSET 0) t
    WHERE e.owner_id = ${owner_id} AND e.account_id = ${sql.ref(accountId)} AND e.transfer_id < ${sql.ref(transferId)}
    ORDER BY e.transfer_id DESC LIMIT 1)`
  const rows = await callLedger<{ nth: number; plan: number; purchased: number }>(
    trx,
    sql`
    WITH RECURSIVE walk AS (
      SELECT account.id AS account_id, account.name AS account, entry.*
      FROM (SELECT *, 9223372036854775807 AS above_all FROM ledger_accounts) account
      CROSS JOIN LATERAL ${entryBelow('account.id', 'account.above_all')} entry
      WHERE account.owner_id = ${owner_id}
      UNION ALL
      SELECT walk.account_id, walk.account, entry.*
      FROM walk CROSS JOIN LATERAL ${entryBelow('walk.account_id', 'walk.transfer_id')} entry
      WHERE walk.kind <> 'usage' OR walk.occurred_at > (
        SELECT min(at) - interval '25 hours' FROM unnest(${starts}::timestamptz[], ${begin}::boolean[]) AS month (at, is_beginning)
        WHERE is_beginning OR walk.account = 'purchased'))
    SELECT month.nth, coalesce(-sum(walk.amount) FILTER (WHERE walk.account = 'plan'), 0)::bigint AS plan,
      coalesce(-sum(walk.amount) FILTER (WHERE walk.account = 'purchased'), 0)::bigint AS purchased
    FROM unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) WITH ORDINALITY AS month (starts_at, until, nth)
    LEFT JOIN walk ON walk.kind = 'usage' AND walk.occurred_at >= month.starts_at AND walk.occurred_at < month.until
    GROUP BY month.nth ORDER BY month.nth`,
  )
  return rows.map(({ plan, purchased }, index) => ({ ...(windows[index] as UsageWindow), plan, purchased }))
}
