import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { writeCatalogue } from '../billing/checkout/offers.ts'
import { migrateQueues } from '../inbox/queues/migrate.ts'

interface SqlFile {
  readonly name: string
  readonly text: string
}

/** Where migrations and functions are; a test has its own. */
const ourFolder = import.meta.dirname

/** Says why the database is not one that these files can bring up to date. Nothing in it was changed. */
export class OtherVersionError extends Error {}

/** Git on Windows may write other line ends. */
const withUnixLineEnds = (text: string) => text.replaceAll('\r\n', '\n')

/** The SQL files of a folder with their texts, in the order of their names. */
async function readSqlFiles(folder: string): Promise<SqlFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.sql$/, ''),
      text: withUnixLineEnds(await readFile(join(folder, file), 'utf8')),
    })),
  )
}

/** Tables with their constraints, indexes, triggers and grants: `0001_name.sql`, forward only. */
export const readMigrationFiles = (folder = ourFolder) => readSqlFiles(join(folder, 'migrations'))

/** Functions and views, each once, by `CREATE OR REPLACE`. A function may name another one of a later file. */
export const readFunctionFiles = (folder = ourFolder) => readSqlFiles(join(folder, 'functions'))

/**
 * Brings a database up to date: the migrations that it lacks, all functions, and the offers of the catalogue,
 * in one transaction, so that no process meets new tables with old functions; after that BullMQ's tables in their own schema. Of two
 * processes that migrate at once the second one waits. Returns the names of the migrations that were applied.
 * Throws before anything runs when the database has applied something else than these files.
 */
export async function migrateToLatest(options: {
  readonly connectionString: string
  readonly folder?: string
}): Promise<string[]> {
  const { connectionString, folder = ourFolder } = options
  const pool = new pg.Pool({ connectionString, max: 1, application_name: 'tidemark-migrate' })
  // The server may end an idle connection first, which is no failure of a migration.
  pool.on('error', () => undefined)
  try {
    const client = await pool.connect()
    try {
      // Of the session, since BullMQ has transactions of its own; it ends with the connection.
      await client.query("SELECT pg_advisory_lock(hashtextextended('migrations', 0))")
      const applied = await applyPatiently(client, folder)
      await migrateQueues(client)
      return applied.map(({ name }) => name)
    } finally {
      client.release()
    }
  } finally {
    await pool.end()
  }
}

/** `lock_timeout`, and a deadlock with a call. */
const lockCodes: readonly unknown[] = ['55P03', '40P01']
const attempts = 60

/**
 * A migration that waits for a table lets no call pass, so it waits for two seconds only: a backup or another long
 * read may hold the table. Then it begins again, for three minutes.
 */
async function applyPatiently(client: pg.PoolClient, folder: string): Promise<readonly SqlFile[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyFiles(client, folder)
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: unknown }
      if (attempt === attempts || !lockCodes.includes(code)) throw error
      await delay(1000)
    }
  }
}

async function applyFiles(client: pg.PoolClient, folder: string): Promise<readonly SqlFile[]> {
  try {
    await client.query("BEGIN; SET LOCAL lock_timeout = '2s'")
    const pending = await readPending(client, folder)
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, text text NOT NULL)')
    for (const file of pending) {
      await applyFile(client, file)
      await client.query('INSERT INTO migrations (name, text) VALUES ($1, $2)', [file.name, file.text])
    }
    await client.query('SET LOCAL check_function_bodies = off')
    for (const file of await readFunctionFiles(folder)) await applyFile(client, file)
    await refuseLeftOverloads(client)
    await writeCatalogue(client)
    await client.query('COMMIT')
    return pending
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function applyFile(client: pg.PoolClient, { name, text }: SqlFile): Promise<void> {
  try {
    await client.query(text)
  } catch (cause) {
    // Postgres names a function that it cannot replace in the hint only; one that it has twice, in the message.
    const { code, hint } = cause as pg.DatabaseError
    const todo = code === '42725' ? 'A migration has to drop the former one.' : hint
    throw new Error(`${name}.sql could not be applied${todo ? ` (${todo})` : ''}`, { cause })
  }
}

/**
 * A function whose arguments changed stands beside the one before, which would be called as long as a call fits it.
 * What this transaction wrote has its number, and the files write each of theirs.
 */
async function refuseLeftOverloads(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(`
    SELECT oid::regprocedure::text AS signature FROM pg_proc left_over
    WHERE pronamespace = 'public'::regnamespace AND xmin <> pg_current_xact_id()::xid
      AND EXISTS (SELECT FROM pg_proc made WHERE made.proname = left_over.proname
        AND made.pronamespace = left_over.pronamespace AND made.xmin = pg_current_xact_id()::xid)
    ORDER BY 1`)
  if (rows.length === 0) return
  const signatures = rows.map(({ signature }) => signature).join(', ')
  throw new Error(
    `The database still has ${signatures}, which no file makes any more: a migration has to drop it.`,
  )
}

/** The names of the migrations that a database lacks. Changes nothing. */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  return (await readPending(pool, ourFolder)).map(({ name }) => name)
}

async function readPending(db: pg.Pool | pg.PoolClient, folder: string): Promise<SqlFile[]> {
  const { rows: found } = await db.query<{ ours: boolean; former: boolean }>(`
    SELECT to_regclass('public.migrations') IS NOT NULL AS ours, to_regclass('public.kysely_migration') IS NOT NULL AS former`)
  if (found[0]?.former) {
    throw new OtherVersionError(
      'This database was made by a version whose migrations no longer exist. Nothing in it was changed. Use an empty database: that of `npm start` is in .data, which may be moved away, or deleted to start over.',
    )
  }
  const files = await readMigrationFiles(folder)
  if (!found[0]?.ours) return files
  const { rows: applied } = await db.query<SqlFile>('SELECT name, text FROM migrations ORDER BY name')
  for (const [index, { name, text }] of applied.entries()) {
    const file = files[index]
    if (file?.name === name && file.text === withUnixLineEnds(text)) continue
    const why =
      file?.name === name
        ? `${name}.sql has changed since it was applied: put its text back, and make the change a new migration`
        : files.some((other) => other.name === name)
          ? `it has applied ${name} without ${file?.name}, which comes before it here: give that a later number`
          : `it has applied ${name}, and there is no such file here: it was renamed or deleted, or a later version migrated this database`
    throw new OtherVersionError(`Nothing in this database was changed: ${why}.`)
  }
  return files.slice(applied.length)
}
