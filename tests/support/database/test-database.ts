import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable, Updateable } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { connectDatabase, type Database, type DatabaseActor } from '../../../schema/database/connect.ts'
import type { DB } from '../../../schema/database/types.ts'
import { madeOnce } from '../made.ts'
import { databaseUrl } from './template-database.ts'

export interface TestDatabase {
  readonly url: string
  /** As the tables' owner: to read, to verify, and to try what must be impossible. */
  readonly owner: Database
  readonly server: Database
  readonly worker: Database
  /** The rows of a table that have these values, as the tables' owner; all their columns unless some are named. */
  rows<T extends keyof DB, C extends keyof Row<T> = keyof Row<T>>(
    table: T,
    having: Partial<Row<T>>,
    columns?: readonly C[],
  ): Promise<Pick<Row<T>, C>[]>
  /** The first of them. Throws where there is none. */
  row<T extends keyof DB, C extends keyof Row<T> = keyof Row<T>>(
    table: T,
    having: Partial<Row<T>>,
    columns?: readonly C[],
  ): Promise<Pick<Row<T>, C>>
  /** Changes the rows of a table that have these values, as the tables' owner. */
  change<T extends keyof DB>(table: T, having: Partial<Row<T>>, values: Updateable<DB[T]>): Promise<void>
  close(): Promise<void>
}

type Row<T extends keyof DB> = Selectable<DB[T]>

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
    ...accessTo(owner.db),
    async close() {
      await Promise.all([owner.close(), server.close(), worker.close()])
    },
  }
}

function accessTo(owner: Database): Pick<TestDatabase, 'rows' | 'row' | 'change'> {
  // One type for every table: TestDatabase says what a caller may name.
  const db = owner as unknown as Kysely<Record<string, Record<string, unknown>>>
  const select = (table: string, having: object, columns?: readonly string[]) => {
    const rows = db.selectFrom(table).where((row) => row.and({ ...having }))
    return columns ? rows.select(columns) : rows.selectAll()
  }
  const access = {
    rows: (...of: Parameters<typeof select>) => select(...of).execute(),
    row: (...of: Parameters<typeof select>) => select(...of).executeTakeFirstOrThrow(),
    async change(table: string, having: object, values: object) {
      await db
        .updateTable(table)
        .set({ ...values })
        .where((row) => row.and({ ...having }))
        .execute()
    },
  }
  return access as unknown as Pick<TestDatabase, 'rows' | 'row' | 'change'>
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
