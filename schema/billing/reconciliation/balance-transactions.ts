import { type Insertable, type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { BalanceTransactions, DB } from '../../database/types.ts'

export type BalanceTransaction = Omit<Insertable<BalanceTransactions>, 'livemode'>

/** They never change, so one that is stored already stays as it is. */
export async function saveBalanceTransactions(
  trx: DatabaseTransaction,
  transactions: readonly BalanceTransaction[],
): Promise<void> {
  if (transactions.length === 0) return
  await trx
    .insertInto('balance_transactions')
    .values(transactions)
    .onConflict((conflict) => conflict.column('stripe_balance_transaction_id').doNothing())
    .execute()
}

/** Records that all balance transactions of these days (UTC, both inclusive) are stored. */
export async function recordDaysRead(
  trx: DatabaseTransaction,
  { first, last, now }: { readonly first: string; readonly last: string; readonly now: Date },
): Promise<void> {
  await sql`
    INSERT INTO statement_days (date, read_at)
    SELECT day, ${now} FROM generate_series(${first}::date, ${last}::date, interval '1 day') day
    ON CONFLICT (date, livemode) DO NOTHING`.execute(trx)
}

/** The last day (UTC, `2026-11-21`) of which all are stored; null before the first. */
export async function findLastDayRead(db: Kysely<DB>): Promise<string | null> {
  const { rows } = await sql<{ date: string | null }>`
    SELECT max(date)::text AS date FROM statement_days WHERE livemode = stripe_livemode()`.execute(db)
  return rows[0]?.date ?? null
}
