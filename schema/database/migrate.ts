import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import pg from 'pg'
import { writeCatalogue } from '../checkout/offers.ts'
import { migrateQueues } from '../queues/migrate.ts'
import { makePartitionsAhead } from './months.ts'
import type { DB } from './types.ts'

interface SqlFile {
  readonly name: string
  readonly text: string
}

/** Where migrations, functions and triggers are; a test has its own. */
const ourFolder = import.meta.dirname

/** The SQL files of a folder with their texts, in the order of their names. */
async function readSqlFiles(folder: string): Promise<SqlFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.sql$/, ''),
      text: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

/** Tables, constraints and grants: plain SQL files, `0001_name.sql`, forward only. */
const readMigrationFiles = (folder: string) => readSqlFiles(join(folder, 'migrations'))

/**
 * Functions and views, then triggers: all of them are applied again, in this order, when the text of one has
 * changed. A function may name another one of a later file, a trigger only functions.
 */
export async function readFunctionFiles(folder = ourFolder): Promise<SqlFile[]> {
  const triggers = await readSqlFiles(join(folder, 'triggers'))
  return [
    ...(await readSqlFiles(join(folder, 'functions'))),
    ...triggers.map(({ name, text }) => ({ name: `triggers/${name}`, text })),
  ]
}

/**
 * The last migration applies the functions as well: Kysely runs all that are pending in one transaction, so
 * no process meets new tables with old functions, and a function that cannot be applied undoes its migration.
 */
function migrationsIn(folder: string, applyFunctions: (db: Kysely<DB>) => Promise<void>): MigrationProvider {
  return {
    async getMigrations() {
      const files = await readMigrationFiles(folder)
      const migrationOf = (text: string, isLast: boolean): Migration => ({
        up: async (db) => {
          await sql.raw(text).execute(db)
          if (isLast) await applyFunctions(db)
        },
      })
      return Object.fromEntries(
        files.map(({ name, text }, index) => [name, migrationOf(text, index === files.length - 1)]),
      )
    },
  }
}

/**
 * The names of our migrations and function files that a database lacks or has with another text. Changes
 * nothing.
 */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  await refuseUnknownMigrations(db)
  const provider = migrationsIn(ourFolder, async () => undefined)
  const migrations = await new Migrator({ db, provider }).getMigrations()
  const pending = migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
  const files = await readFunctionFiles()
  if (pending.length === migrations.length) return [...pending, ...files.map(nameOf)]
  return [...pending, ...(await listChanged(db, files)).map(nameOf)]
}

const nameOf = ({ name }: { readonly name: string }) => name

/**
 * Brings a database up to date: our tables, then their functions and triggers, the catalogue, the partitions
 * of the next months, and BullMQ's tables in their own schema. Safe to run from several processes at once (each step
 * takes a lock). Returns the names of what was applied. Throws before anything runs when the database knows a
 * migration that has no file here.
 */
export async function migrateToLatest(options: {
  readonly connectionString: string
  readonly folder?: string
}): Promise<string[]> {
  const { connectionString, folder = ourFolder } = options
  const pool = new pg.Pool({ connectionString, max: 2, application_name: 'tidemark-migrate' })
  // The server may end an idle connection first, which is no failure of a migration.
  pool.on('error', () => undefined)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const functions: string[] = []
  const applyFunctions = async (trx: Kysely<DB>) => {
    functions.push(...(await applyFunctionFiles(trx, await readFunctionFiles(folder))))
  }
  try {
    await refuseUnknownMigrations(db, folder)
    const provider = migrationsIn(folder, applyFunctions)
    const migrator = new Migrator({ db, provider, allowUnorderedMigrations: false })
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw new Error('A migration failed', { cause: error })
    await db.transaction().execute(applyFunctions)
    const added = folder === ourFolder ? await db.transaction().execute(writeCatalogue) : 0
    await makePartitionsAhead(db, new Date())
    await migrateQueues(pool)
    return [
      ...(results ?? [])
        .filter((result) => result.status === 'Success')
        .map((result) => result.migrationName),
      ...functions,
      ...(added > 0 ? ['catalogue'] : []),
    ]
  } finally {
    await db.destroy()
  }
}

/**
 * Applies all function files when the text of one has changed, in the caller's transaction, and drops the
 * functions, views and triggers that no file has any more. Returns the names of those that changed.
 */
async function applyFunctionFiles(trx: Kysely<DB>, files: readonly SqlFile[]): Promise<string[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('function_files', 0))`.execute(trx)
  const changed = await listChanged(trx, files)
  if (changed.length === 0) return []
  // Functions may name one another whatever the order of their files.
  await sql`SET LOCAL check_function_bodies = off`.execute(trx)
  await dropEach(trx, signaturesOfOneName)
  for (const { text } of files) await sql.raw(text).execute(trx)
  await dropEach(trx, withoutFile)
  await trx.deleteFrom('function_files').execute()
  const rows = files.map(({ name, text }) => ({ name, sha256: digestOf(text) }))
  await trx.insertInto('function_files').values(rows).execute()
  return changed.map(nameOf)
}

/** Dropped first, because a file that has only one of them left names it without arguments. */
const signaturesOfOneName = sql<{ statement: string }>`
  SELECT format('DROP ROUTINE %s', p.oid::regprocedure) AS statement
  FROM (SELECT oid, count(*) OVER (PARTITION BY proname) AS signatures FROM pg_proc WHERE pronamespace = 'public'::regnamespace) p
  WHERE signatures > 1`

/**
 * What this transaction has not just replaced stands in no file. The transaction that wrote a row of the
 * catalogue is its `xmin` (https://www.postgresql.org/docs/current/ddl-system-columns.html).
 */
const withoutFile = sql<{ statement: string }>`
  SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS statement
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND NOT t.tgisinternal
    AND t.xmin <> pg_current_xact_id()::xid
  UNION ALL
  SELECT format('DROP VIEW %s', r.ev_class::regclass) FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND r.xmin <> pg_current_xact_id()::xid
  UNION ALL
  SELECT format('DROP ROUTINE %s', p.oid::regprocedure) FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND p.xmin <> pg_current_xact_id()::xid`

async function dropEach(trx: Kysely<DB>, objects: RawBuilder<{ statement: string }>): Promise<void> {
  const { rows } = await objects.execute(trx)
  for (const { statement } of rows) await sql.raw(statement).execute(trx)
}

async function listChanged(db: Kysely<DB>, files: readonly SqlFile[]): Promise<SqlFile[]> {
  const rows = await db.selectFrom('function_files').select(['name', 'sha256']).execute()
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  const gone = rows.filter(({ name }) => !files.some((file) => file.name === name))
  const changed = files.filter(({ name, text }) => applied.get(name) !== digestOf(text))
  return [...changed, ...gone.map(({ name }) => ({ name, text: '' }))]
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * A database of a newer version, or of one from before the migrations started again, is not for this version.
 */
async function refuseUnknownMigrations(db: Kysely<DB>, folder = ourFolder): Promise<void> {
  const { rows: tables } = await sql<{ found: boolean }>`
    SELECT to_regclass('public.kysely_migration') IS NOT NULL AS found`.execute(db)
  if (!tables[0]?.found) return
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  const files = new Set((await readMigrationFiles(folder)).map(nameOf))
  const unknown = rows.map(nameOf).filter((name) => !files.has(name))
  if (unknown.length > 0) {
    throw new Error(
      `This database was made by another version: it has the migration ${unknown[0]}, which this version does not know. Use a new database, or that version.`,
    )
  }
}
