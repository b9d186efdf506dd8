import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrateToLatest } from '../../../schema/database/migrate.ts'

const schemaFolder = join(import.meta.dirname, '../../../schema')

/**
 * A migrated database that test files copy, which is much faster than migrating for each of them. Its name
 * holds a hash of what made it, so that on a server that lives longer an outdated one is never copied.
 * Several runs may ask at once.
 */
export async function ensureTemplateDatabase(adminUrl: string): Promise<string> {
  const name = `tidemark_template_${await hashMigrations()}`
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 1) return name
    const unfinished = `${name}_unfinished`
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`)
    await client.query(`CREATE DATABASE ${unfinished}`)
    await migrateToLatest({ connectionString: databaseUrl(adminUrl, unfinished) })
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
    return name
  } finally {
    await client.end()
  }
}

/** The same server and user, another database. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256')
  const folders = ['migrations', 'functions'].map((name) => join(schemaFolder, 'database', name))
  const migrations = (
    await Promise.all(
      folders.map(async (folder) => (await readdir(folder)).sort().map((file) => join(folder, file))),
    )
  ).flat()
  const files = [
    ...migrations,
    join(schemaFolder, 'inbox/queues/migrate.ts'),
    join(schemaFolder, '../node_modules/bullmq/package.json'),
  ]
  for (const file of files) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}
