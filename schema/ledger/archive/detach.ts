import { sql } from 'kysely'
import type { Database } from '../../database/connect.ts'
import { type MonthlyTable, monthlyTables, partitionOf } from './tables.ts'

/** The months that are attached, or about to be detached, in their order. */
export async function listMonths(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'public.ledger_transfers'::regclass`.execute(db)
  return rows.map(({ name }) => name.slice('ledger_transfers_'.length)).sort()
}

/**
 * Makes a month of a table one of its own, unless it is: it waits for the transactions that are running, and
 * none waits for it. One that was interrupted is finished.
 */
export async function detachMonth(db: Database, table: MonthlyTable, month: string): Promise<void> {
  const partition = partitionOf(table, month)
  const { rows } = await sql<{ is_pending: boolean }>`
    SELECT inhdetachpending AS is_pending FROM pg_inherits
    WHERE inhparent = to_regclass(${`public.${table}`}) AND inhrelid = to_regclass(${`public.${partition}`})`.execute(
    db,
  )
  const [attached] = rows
  if (!attached) return
  const how = sql.raw(attached.is_pending ? 'FINALIZE' : 'CONCURRENTLY')
  await sql`ALTER TABLE ${sql.table(table)} DETACH PARTITION ${sql.table(partition)} ${how}`.execute(db)
}

/** Those of an archive's tables that are still there. */
export async function listTables(db: Database, months: readonly string[]): Promise<string[]> {
  const names = months.flatMap((month) => monthlyTables.map(({ name }) => partitionOf(name, month)))
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM unnest(${names}::text[]) name WHERE to_regclass('public.' || name) IS NOT NULL`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

export async function dropTable(db: Database, name: string): Promise<void> {
  await sql`DROP TABLE ${sql.table(name)}`.execute(db)
}
