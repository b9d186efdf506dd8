import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { writeCatalogue } from '../billing/checkout/offers.ts'
import { migrateQueues } from '../inbox/queues/migrate.ts'

interface SqlFile {
  readonly name: string
  readonly text: string
}

/** Where migrations and functions are; a test has its own. */
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

/** Tables with their constraints, indexes, triggers and grants: `0001_name.sql`, forward only. */
export const readMigrationFiles = (folder = ourFolder) => readSqlFiles(join(folder, 'migrations'))

/** Functions and views, each once, by `CREATE OR REPLACE`. A function may name another one of a later file. */
export const readFunctionFiles = (folder = ourFolder) => readSqlFiles(join(folder, 'functions'))

/**
 * Brings a database up to date: the migrations that it lacks, all functions, and the offers of the catalogue,
 * in one transaction, so that no process meets new tables with old functions; after that BullMQ's tables in their own schema. Of two
 * processes that migrate at once the second one waits. Returns the names of the migrations that were applied.
 * Throws before anything runs when the database belongs to another version.
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
      const applied = await applyFiles(client, folder)
      await migrateQueues(client)
      return applied.map(({ name }) => name)
    } finally {
      client.release()
    }
  } finally {
    await pool.end()
  }
}

async function applyFiles(client: pg.PoolClient, folder: string): Promise<readonly SqlFile[]> {
  try {
    await client.query('BEGIN')
    const pending = await readPending(client, folder)
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, text text NOT NULL)')
    for (const file of pending) {
      await applyFile(client, file)
      await client.query('INSERT INTO migrations (name, text) VALUES ($1, $2)', [file.name, file.text])
    }
    await client.query('SET LOCAL check_function_bodies = off')
    for (const file of await readFunctionFiles(folder)) await applyFile(client, file)
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
    throw new Error(`${name}.sql could not be applied`, { cause })
  }
}

/** The names of the migrations that a database lacks. Changes nothing. */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  return (await readPending(pool, ourFolder)).map(({ name }) => name)
}

async function readPending(db: pg.Pool | pg.PoolClient, folder: string): Promise<SqlFile[]> {
  const { rows: found } = await db.query<{ ours: boolean; former: boolean }>(`
    SELECT to_regclass('public.migrations') IS NOT NULL AS ours, to_regclass('public.kysely_migration') IS NOT NULL AS former`)
  if (found[0]?.former) {
    throw new Error(
      'This database was made by a version whose migrations no longer exist. Nothing in it was changed. Use an empty database: that of `npm start` is in .data, which may be moved away, or deleted to start over.',
    )
  }
  const files = await readMigrationFiles(folder)
  if (!found[0]?.ours) return files
  const { rows: applied } = await db.query<SqlFile>('SELECT name, text FROM migrations ORDER BY name')
  for (const [index, { name, text }] of applied.entries()) {
    const file = files[index]
    if (file?.name === name && file.text === text) continue
    const why =
      file?.name === name
        ? `${name} has changed since it was applied`
        : `it has the migration ${name}, which does not come next here`
    throw new Error(
      `This database was made by another version: ${why}. Nothing in it was changed. Use a new database, or that version.`,
    )
  }
  return files.slice(applied.length)
}
