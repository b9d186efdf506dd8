import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { connectDatabase, type Database, type DatabaseActor } from '../../../schema/database/connect.ts'
import { madeOnce } from '../made.ts'
import { databaseUrl } from './template-database.ts'

export interface TestDatabase {
  readonly url: string
  /** As the tables' owner: to read, to verify, and to try what must be impossible. */
  readonly owner: Database
  readonly server: Database
  readonly worker: Database
  close(): Promise<void>
}

/** A database for the tests of this file. */
export function testDatabase(): TestDatabase {
  return madeOnce(createTestDatabase, (database) => database.close())
}

/** A copy of the migrated template, dropped by `close`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${inject('templateDatabase')} STRATEGY FILE_COPY`),
  )
  const database = connectTestDatabase(databaseUrl(adminUrl, name))
  return {
    ...database,
    async close() {
      await database.close()
      await asAdmin(adminUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}

/** An existing database, which stays when the connection is closed. */
export function connectTestDatabase(url: string): TestDatabase {
  const connect = (role: DatabaseActor) =>
    connectDatabase({ connectionString: url, role, poolMax: 10, onError: () => undefined })
  const owner = connect('owner')
  const server = connect('tidemark_server')
  const worker = connect('tidemark_worker')
  return {
    url,
    owner: owner.db,
    server: server.db,
    worker: worker.db,
    async close() {
      await Promise.all([owner.close(), server.close(), worker.close()])
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
