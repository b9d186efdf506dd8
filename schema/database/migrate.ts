import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import pg from 'pg'
import { migrateQueues } from '../queues/migrate.ts'
import { makePartitionsAhead } from './months.ts'
import type { DB } from './types.ts'

const migrationsFolder = join(import.meta.dirname, 'migrations')
const functionsFolder = join(import.meta.dirname, 'functions')

/** The SQL files of a folder with their texts, in the order of their names. */
async function readSqlFiles(folder: string): Promise<{ readonly name: string; readonly text: string }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.sql$/, ''),
      text: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

/** Tables, constraints and grants: plain SQL files, `0001_name.sql`, forward only. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const files = await readSqlFiles(migrationsFolder)
    const migrationOf = (text: string): Migration => ({
      up: async (db) => {
        await sql.raw(text).execute(db)
      },
    })
    return Object.fromEntries(files.map(({ name, text }) => [name, migrationOf(text)]))
  },
}

/** The SQL files of functions, views and triggers: each is applied again whenever its text changes. */
export const readFunctionFiles = () => readSqlFiles(functionsFolder)

/**
 * The names of our migrations and function files that a database lacks or has with another text. Changes
 * nothing.
 */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  await refuseUnknownMigrations(db)
  const migrations = await new Migrator({ db, provider: sqlFiles }).getMigrations()
  const pending = migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
  if (pending.length === migrations.length) return [...pending, ...(await readFunctionFiles()).map(nameOf)]
  return [...pending, ...(await listChangedFunctions(db)).map(nameOf)]
}

const nameOf = ({ name }: { readonly name: string }) => name

/**
 * Brings a database up to date: our tables, then their functions and triggers, the partitions of the next
 * months, and BullMQ's tables in their own schema. Safe to run from several processes at once (each step
 * takes a lock). Returns the names of what was applied. Throws before anything runs when the database knows a
 * migration that has no file here.
 */
export async function migrateToLatest(connection: { connectionString: string }): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: connection.connectionString,
    max: 2,
    application_name: 'tidemark-migrate',
  })
  // The server may end an idle connection first, which is no failure of a migration.
  pool.on('error', () => undefined)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  try {
    await refuseUnknownMigrations(db)
    const migrator = new Migrator({ db, provider: sqlFiles, allowUnorderedMigrations: false })
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw new Error('A migration failed', { cause: error })
    const functions = await applyFunctionFiles(db)
    await makePartitionsAhead(db, new Date())
    await migrateQueues(pool)
    return [
      ...(results ?? [])
        .filter((result) => result.status === 'Success')
        .map((result) => result.migrationName),
      ...functions,
    ]
  } finally {
    await db.destroy()
  }
}

/** Applies the function files whose text changed, in one transaction. Returns their names. */
async function applyFunctionFiles(db: Kysely<DB>): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('function_files', 0))`.execute(trx)
    // Functions may name one another whatever the order of their files.
    await sql`SET LOCAL check_function_bodies = off`.execute(trx)
    const changed = await listChangedFunctions(trx)
    for (const { name, text } of changed) {
      await sql.raw(text).execute(trx)
      await trx
        .insertInto('function_files')
        .values({ name, sha256: digestOf(text) })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ sha256: digestOf(text) }))
        .execute()
    }
    return changed.map(nameOf)
  })
}

async function listChangedFunctions(db: Kysely<DB>) {
  const rows = await db.selectFrom('function_files').select(['name', 'sha256']).execute()
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  return (await readFunctionFiles()).filter(({ name, text }) => applied.get(name) !== digestOf(text))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * A database of a newer version, or of one from before the migrations started again, is not for this version.
 */
async function refuseUnknownMigrations(db: Kysely<DB>): Promise<void> {
  const { rows: tables } = await sql<{ found: boolean }>`
    SELECT to_regclass('public.kysely_migration') IS NOT NULL AS found`.execute(db)
  if (!tables[0]?.found) return
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  const files = new Set((await readSqlFiles(migrationsFolder)).map(nameOf))
  const unknown = rows.map(nameOf).filter((name) => !files.has(name))
  if (unknown.length > 0) {
    throw new Error(
      `This database was made by another version: it has the migration ${unknown[0]}, which this version does not know. Use a new database, or that version.`,
    )
  }
}
