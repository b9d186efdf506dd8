import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import { PostgresDialect as CodegenDialect, generate, RawExpressionNode } from 'kysely-codegen'
import pg from 'pg'

export const typesFile = join(import.meta.dirname, '../schema/database/types.ts')

/** Postgres reports every column of a view as a nullable one of its base type. */
function viewColumns(columns: Record<string, string>): Record<string, string> {
  const all = (view: string, names: readonly string[], type: (name: string) => string | undefined) =>
    Object.fromEntries(names.map((name) => [`${view}.${name}`, type(name) ?? 'string']))
  const sums = ['gross', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted', 'transfers']
  return {
    ...all('ledger_grant_sums', ['id', 'account', 'kind'], (name) => columns[`ledger_grants.${name}`]),
    ...all('ledger_grant_sums', sums, () => 'number'),
  }
}

/**
 * What the generator does not see: columns whose own CHECK, or that of their domain, lists the texts that
 * they take, and booleans that have their default from a domain.
 */
async function readColumnTypes(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ column: string; type: string; generated: boolean }>(`
    SELECT a.attrelid::regclass || '.' || a.attname AS column, a.atthasdef OR d.typdefault IS NOT NULL AS generated,
      coalesce((SELECT string_agg(to_json(m[1])::text, ' | ') FROM regexp_matches(c.definition, '''([^'']+)''::text', 'g') m),
        'boolean') AS type
    FROM pg_attribute a
    JOIN pg_class t ON t.oid = a.attrelid AND t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
    JOIN pg_type d ON d.oid = a.atttypid
    LEFT JOIN (
      SELECT conrelid, conkey[1] AS attnum, contypid, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE contype = 'c' AND coalesce(cardinality(conkey), 1) = 1
    ) c ON ((c.conrelid = a.attrelid AND c.attnum = a.attnum) OR (c.contypid <> 0 AND c.contypid = a.atttypid))
      AND c.definition ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\[[^]]*\\]\\)\\)\\)$'
    WHERE c.definition IS NOT NULL OR d.typbasetype = 'boolean'::regtype`)
  return Object.fromEntries(
    rows.map(({ column, type, generated }) => [column, generated ? `Generated<${type}>` : type]),
  )
}

/** The Kysely types of a migrated database. */
export async function renderDatabaseTypes(connectionString: string): Promise<string> {
  const pool = new pg.Pool({ connectionString, max: 2 })
  // Postgres may be stopped before the last idle connection has been told.
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const columns = await readColumnTypes(pool)
    return await generate({
      db,
      dialect: new CodegenDialect(),
      defaultSchemas: ['public'],
      excludePattern: '{bullmq.*,migrations}',
      typeMapping: { int8: 'number' },
      overrides: {
        columns: Object.fromEntries(
          Object.entries({ ...columns, ...viewColumns(columns) }).map(([column, type]) => [
            column,
            new RawExpressionNode(type),
          ]),
        ),
      },
      outFile: null,
    })
  } finally {
    await db.destroy()
  }
}
