import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import pg from 'pg'
import { migrateQueues } from '../queues/migrate.ts'
import { makePartitionsAhead } from './months.ts'
import type { DB } from './types.ts'

const migrationsFolder = join(import.meta.dirname, 'migrations')

/** Plain SQL files, `0001_name.sql`, forward only. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
    const migrations: Record<string, Migration> = {}
    for (const name of names) {
      const text = await readFile(join(migrationsFolder, name), 'utf8')
      migrations[name.replace(/\.sql$/, '')] = {
        up: async (db) => {
          await sql.raw(text).execute(db)
        },
      }
    }
    return migrations
  },
}

/** The names of our migrations that a database lacks. Changes nothing. */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const migrations = await new Migrator({ db, provider: sqlFiles }).getMigrations()
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/**
 * Brings a database up to date: our tables in `public`, with the partitions of the next months, then BullMQ's in their own schema. Safe to run from several
 * processes at once (both migrators take a lock). Returns the names of the migrations that were applied now.
 */
export async function migrateToLatest(connection: { connectionString: string }): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: connection.connectionString,
    max: 2,
    application_name: 'tidemark-migrate',
  })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const migrator = new Migrator({ db, provider: sqlFiles, allowUnorderedMigrations: false })
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw new Error('A migration failed', { cause: error })
    await makePartitionsAhead(db as Kysely<DB>, new Date())
    await migrateQueues(pool)
    return (results ?? [])
      .filter((result) => result.status === 'Success')
      .map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}
