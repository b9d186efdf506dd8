import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { Kysely, PostgresDialect } from 'kysely'
import { PostgresDialect as CodegenDialect, generate, RawExpressionNode } from 'kysely-codegen'
import pg from 'pg'

const databaseFolder = join(import.meta.dirname, '../schema/database')

export const generatedFiles = {
  types: join(databaseFolder, 'types.ts'),
  dump: join(databaseFolder, 'schema.sql'),
} as const

/** Postgres reports every column of a view as a nullable one of its base type. */
function viewColumns(columns: Record<string, string>): Record<string, string> {
  const all = (view: string, names: readonly string[], type: (name: string) => string | undefined) =>
    Object.fromEntries(names.map((name) => [`${view}.${name}`, type(name) ?? 'string']))
  const sums = ['gross', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted', 'transfers']
  return {
    ...all(
      'ledger_grant_sums',
      ['id', 'owner_kind', 'account', 'kind'],
      (name) => columns[`ledger_grants.${name}`],
    ),
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
    JOIN pg_class t ON t.oid = a.attrelid AND t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')
      AND NOT t.relispartition
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
      excludePattern: '{bullmq.*,kysely_*}',
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

/**
 * The tables as one readable file, made by pg_dump from the migrations; functions have their own files. A
 * Postgres client cannot be expected on every machine, so pg_dump is the WebAssembly one and dumps an
 * in-memory Postgres.
 */
export async function renderSchemaDump(): Promise<string> {
  const database = await PGlite.create()
  const migrations = join(databaseFolder, 'migrations')
  for (const name of (await readdir(migrations)).sort()) {
    await database.exec(await readFile(join(migrations, name), 'utf8'))
  }
  const dump = await pgDump({ pg: database, args: ['--schema-only', '--no-owner'] })
  const text = await dump.text()
  return text
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimStart()
}
