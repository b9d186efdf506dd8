import { sql } from 'kysely'
import type { TestDatabase } from './test-database.ts'

/** Every row of every table, the queues' too, that has one of the words in any column, as `table: row`. */
export async function rowsWith({ owner }: TestDatabase, words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind = 'r'
    ORDER BY 2, 1`.execute(owner)
  const found: string[] = []
  for (const { schema, name } of tables) {
    const { rows } = await sql<{ line: string }>`
      SELECT t::text AS line FROM ${sql.table(`${schema}.${name}`)} t
      WHERE EXISTS (SELECT 1 FROM unnest(${words}::text[]) AS word WHERE t::text ILIKE '%' || word || '%'
        OR t::text ILIKE '%' || encode(convert_to(word, 'UTF8'), 'hex') || '%')`.execute(owner)
    found.push(...rows.map(({ line }) => `${schema === 'public' ? '' : `${schema}.`}${name}: ${line}`))
  }
  return found
}
