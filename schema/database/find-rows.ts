import { type Kysely, type Selectable, sql } from 'kysely'
import type { DB } from './types.ts'

/** The rows of a table that have these names, by them. The column is unique, or one row of each name will do. */
export async function findRows<Table extends keyof DB>(
  db: Kysely<DB>,
  table: Table,
  column: keyof DB[Table] & string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Selectable<DB[Table]>>> {
  const { rows } = await sql<Selectable<DB[Table]>>`
    SELECT * FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ANY (${names})`.execute(db)
  return new Map(rows.map((row) => [String(row[column as keyof typeof row]), row]))
}

/** The row of a table that has this name. */
export async function findRow<Table extends keyof DB>(
  db: Kysely<DB>,
  table: Table,
  column: keyof DB[Table] & string,
  name: string,
): Promise<Selectable<DB[Table]> | undefined> {
  const { rows } = await sql<Selectable<DB[Table]>>`
    SELECT * FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${name} LIMIT 1`.execute(db)
  return rows[0]
}
