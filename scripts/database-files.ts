import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { Kysely, PostgresDialect } from 'kysely'
import { PostgresDialect as CodegenDialect, generate, RawExpressionNode } from 'kysely-codegen'
import pg from 'pg'
import { subscriptionStatuses } from '../schema/stripe/statuses.ts'

const databaseFolder = join(import.meta.dirname, '../schema/database')

export const generatedFiles = {
  types: join(databaseFolder, 'types.ts'),
  dump: join(databaseFolder, 'schema.sql'),
} as const

const union = (words: readonly string[]) => words.map((word) => `"${word}"`).join(' | ')
const owners = union(['user', 'organization'])

const grantKinds = union(['purchase', 'month', 'seats', 'late_month', 'adjustment', 'legacy'])
const ownerAccounts = union(['plan', 'purchased'])

/** Views, whose columns Postgres reports as nullable, and words that the database does not check. */
const columnTypes: Record<string, string> = {
  'subscriptions.status': union(subscriptionStatuses),
  'audit_log.owner_kind': owners,
  'ledger_balances.owner_kind': owners,
  'ledger_balances.owner_id': 'string',
  'ledger_balances.account': ownerAccounts,
  'ledger_balances.account_id': 'number',
  'ledger_balances.version': 'number',
  'ledger_balances.balance': 'number',
  'ledger_grant_sums.id': 'string',
  'ledger_grant_sums.owner_kind': owners,
  'ledger_grant_sums.owner_id': 'string',
  'ledger_grant_sums.account': ownerAccounts,
  'ledger_grant_sums.kind': grantKinds,
  'ledger_grant_sums.created_at': 'Timestamp',
  'ledger_grant_sums.gross': 'number',
  'ledger_grant_sums.refunded': 'number',
  'ledger_grant_sums.disputed': 'number',
  'ledger_grant_sums.expired': 'number',
  'ledger_grant_sums.written_off': 'number',
  'ledger_grant_sums.adjusted': 'number',
  'ledger_grant_sums.transfers': 'number',
}

/** Columns of words that a domain or a CHECK lists, as a union of them. */
async function listedWords(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ column: string; has_default: boolean; rule: string }>(`
    SELECT DISTINCT ON (a.attrelid, a.attnum) c.relname || '.' || a.attname AS column, a.atthasdef AS has_default,
      pg_get_constraintdef(rule.oid) AS rule
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    JOIN pg_constraint rule ON rule.contype = 'c'
      AND (rule.contypid = a.atttypid OR (rule.conrelid = a.attrelid AND rule.conkey = ARRAY[a.attnum]))
    WHERE pg_get_constraintdef(rule.oid) LIKE 'CHECK ((% = ANY (ARRAY[''%'
    ORDER BY a.attrelid, a.attnum, rule.oid`)
  return Object.fromEntries(
    rows.map(({ column, has_default, rule }) => {
      const words = union([...rule.matchAll(/'(\w+)'::text/g)].map(([, word = '']) => word))
      return [column, has_default ? `Generated<${words}>` : words]
    }),
  )
}

/** The Kysely types of a migrated database, as text. */
export async function renderDatabaseTypes(connectionString: string): Promise<string> {
  const pool = new pg.Pool({ connectionString, max: 2 })
  // Postgres may be stopped before the last idle connection has been told.
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await generate({
      db,
      dialect: new CodegenDialect(),
      defaultSchemas: ['public'],
      excludePattern: '{bullmq.*,kysely_*}',
      typeMapping: { int8: 'number' },
      overrides: {
        columns: Object.fromEntries(
          Object.entries({ ...(await listedWords(pool)), ...columnTypes }).map(([column, type]) => [
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

/** Which months there are depends on the day. */
const withoutPartitions = ['ledger_transfers', 'ledger_entries', 'ledger_reports'].flatMap((table) =>
  ['2*', 'early'].map((name) => `--exclude-table=public.${table}_${name}`),
)

/**
 * The whole schema as one readable file, made by pg_dump from the migrations. A Postgres client cannot be expected on
 * every machine, so pg_dump is the WebAssembly one and dumps an in-memory Postgres.
 */
export async function renderSchemaDump(): Promise<string> {
  const database = await PGlite.create()
  const migrations = join(databaseFolder, 'migrations')
  for (const name of (await readdir(migrations)).sort()) {
    await database.exec(await readFile(join(migrations, name), 'utf8'))
  }
  const dump = await pgDump({ pg: database, args: ['--schema-only', '--no-owner', ...withoutPartitions] })
  const text = await dump.text()
  return text
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimStart()
}
