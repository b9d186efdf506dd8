import { type Kysely, sql } from 'kysely'
import { makeLedgerMonths } from '../ledger/post/months.ts'
import type { DB } from './types.ts'

/**
 * So many months are there before anything is filed in them. An alarm asks for fewer:
 * docs/operations/alerts.yml.
 */
const monthsAhead = 3

/** Makes the partitions that the next months will need. Reads and writes go on meanwhile. */
export async function makePartitionsAhead(db: Kysely<DB>, now: Date): Promise<void> {
  await makeInboxMonths(db, now, monthsLater(now, monthsAhead))
  await makeLedgerMonths(db, monthsAhead)
}

/** Makes the months of the inbox from one moment to another. */
export async function makeInboxMonths(db: Kysely<DB>, first: Date, last: Date): Promise<void> {
  await sql`SELECT inbox_make_months(${first}, ${last})`.execute(db)
}

/** How many months there are after the present one, by table. */
export async function countPartitionsAhead(
  db: Kysely<DB>,
  now: Date,
): Promise<{ readonly table: string; readonly ahead: number }[]> {
  const { rows } = await sql<{ table: string; ahead: number }>`
    SELECT parent AS table, (
      SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = parent::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
        AND right(c.relname, 7) COLLATE "C" > to_char(${now}::timestamptz AT TIME ZONE 'UTC', 'YYYY_MM')) AS ahead
    FROM unnest(ARRAY['inbox_payloads', 'ledger_transfers', 'ledger_entries']) parent`.execute(db)
  return rows
}

function monthsLater(from: Date, months: number): Date {
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1))
}
