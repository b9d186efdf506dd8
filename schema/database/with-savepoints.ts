import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely'
import type { Database, DatabaseTransaction } from './connect.ts'
import { beginByKeys } from './pipelined.ts'
import { retryTransaction } from './retry.ts'
import type { DB } from './types.ts'

/**
 * Runs work that opens transactions of its own, or none, within one, which is committed or rolled back as a
 * whole: the transactions of the handle that `work` is given are savepoints of it. What one of them locks
 * stays locked until the whole is over, so calls to others belong before them. Like every transaction it may
 * be run again; see `retryTransaction`.
 */
export function withSavepoints<T>(
  db: Database,
  work: (handle: Database, trx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return retryTransaction(db, (trx) => work(handleOf(trx), trx))
}

function handleOf(trx: DatabaseTransaction): Database {
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new SavepointDriver(trx),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** One connection inside a transaction; nested transactions run one after the other. */
class SavepointDriver implements Driver {
  readonly #trx: DatabaseTransaction
  readonly #connection: DatabaseConnection
  #depth = 0

  constructor(trx: DatabaseTransaction) {
    this.#trx = trx
    this.#connection = {
      executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
        const control = this.#controlOf(query.sql)
        if (!control) return trx.executeQuery(query as CompiledQuery<R>)
        await control
        return { rows: [] }
      },
      streamQuery: () => {
        throw new Error('Within one transaction nothing is streamed')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    this.#depth += 1
    await sql`SAVEPOINT ${this.#name()}`.execute(this.#trx)
  }

  async commitTransaction(): Promise<void> {
    await sql`RELEASE SAVEPOINT ${this.#name()}`.execute(this.#trx)
    this.#depth -= 1
  }

  async rollbackTransaction(): Promise<void> {
    await sql`ROLLBACK TO SAVEPOINT ${this.#name()}`.execute(this.#trx)
    this.#depth -= 1
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}

  /** What `retryTransactionWithLocks` sends to begin and end its transaction, as a savepoint. */
  #controlOf(text: string): Promise<void> | undefined {
    if (text === beginByKeys) return this.beginTransaction()
    if (text === 'commit') return this.commitTransaction()
    return text === 'rollback' ? this.rollbackTransaction() : undefined
  }

  #name() {
    return sql.id(`within_${this.#depth}`)
  }
}
