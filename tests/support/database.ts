import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { connectDatabase, type Database } from '../../schema/database/connect.ts'
import type { DB } from '../../schema/database/types.ts'
import { databaseUrl } from './template-database.ts'

export interface TestDatabase {
  readonly url: string
  /** As the tables' owner: for looking, for verifying, for trying what nobody should be able to do. */
  readonly owner: Database
  /** As the server's role. */
  readonly server: Database
  /** As the worker's role. */
  readonly worker: Database
  close(): Promise<void>
}

/** A database of the test file's own: a copy of the migrated template, dropped by `close`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${inject('templateDatabase')}`),
  )
  const url = databaseUrl(adminUrl, name)
  const owner = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 4 }) }),
  })
  const ignore = () => undefined
  const server = connectDatabase({
    connectionString: url,
    role: 'tidemark_server',
    poolMax: 10,
    onError: ignore,
  })
  const worker = connectDatabase({
    connectionString: url,
    role: 'tidemark_worker',
    poolMax: 10,
    onError: ignore,
  })
  return {
    url,
    owner,
    server: server.db,
    worker: worker.db,
    async close() {
      await Promise.all([owner.destroy(), server.close(), worker.close()])
      await asAdmin(adminUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
