import { type Kysely, sql } from 'kysely'
import { prepared } from '../../database/prepared.ts'
import type { DB } from '../../database/types.ts'

export interface LatestMonth {
  /** Whole credits: those of the month and of seats added in it, less what was taken back. */
  readonly granted: number
  readonly ends_at: Date
}

/** The billing month of a subscription that began last in the ledger, if any credits are granted for it. */
export async function findLatestMonth(
  db: Kysely<DB>,
  {
    owner_id,
    stripe_subscription_id,
  }: { readonly owner_id: string; readonly stripe_subscription_id: string },
): Promise<LatestMonth | undefined> {
  const { rows } = await prepared(
    'latest_month',
    sql<LatestMonth>`
    SELECT sum(gross - refunded - disputed)::bigint AS granted, max(ends_at) AS ends_at FROM ledger_grant_sums
    WHERE owner_id = ${owner_id} AND stripe_subscription_id = ${stripe_subscription_id} AND month_starts_at = (
      SELECT month_starts_at FROM ledger_grants
      WHERE stripe_subscription_id = ${stripe_subscription_id} AND month_starts_at IS NOT NULL
      ORDER BY month_starts_at DESC LIMIT 1)
    HAVING sum(gross - refunded - disputed) > 0`,
  ).execute(db)
  return rows[0]
}
