import type { Database } from '../../schema/database/connect.ts'
import { findMonthStart } from '../../schema/ledger/spend/usage.ts'

/** When this month's usage begins: with the billing month, or the calendar month (UTC) without a plan. */
export async function usageSince(db: Database, owner_id: string, now: Date): Promise<Date> {
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  return (await findMonthStart(db, owner_id, now)) ?? month
}
