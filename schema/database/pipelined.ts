import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type QueryExecutor,
  Transaction,
} from 'kysely'
import { inSpan } from '../tracing.ts'
import type { Database, DatabaseTransaction } from './connect.ts'
import { retryConflicts } from './retry.ts'
import type { DB } from './types.ts'

/**
 * Sends statements of a transaction without waiting for the answer to each, so that they take one round trip:
 * `work` begins all of them with the transaction that it is given, as in `Promise.all`. Postgres carries them
 * out one after the other, so none may need what another returns. When one fails, those behind it fail too,
 * and so does `work`, with the first failure.
 *
 * Kysely's own transaction begins a statement when the one before is answered.
 * https://node-postgres.com/features/pipelining
 */
export function pipelined<T>(
  trx: DatabaseTransaction,
  work: (trip: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  const executor = trx.getExecutor()
  return executor.provideConnection((connection) => work(over(connection, executor)))
}

/**
 * Its statements look up rows by keys, and are prepared: a plan that a connection made when a table was
 * nearly empty would read the whole of it until autovacuum has looked at the table again, which is a minute
 * in which a burst may come.
 */
export const beginByKeys = 'begin; set local enable_seqscan = off'

/**
 * A transaction as `retryTransaction` runs it, whose first statements are sent along with its `BEGIN`:
 * `first` begins all of them, as in `pipelined`, and `work` is given what they returned. They may read and
 * lock and nothing else: were `BEGIN` refused, Postgres would carry them out all the same, each by itself.
 * Then this fails, and nothing has happened. None of its statements may need to read a whole table.
 */
export function retryTransactionWithLocks<First, T>(
  db: Database,
  first: (trip: DatabaseTransaction) => Promise<First>,
  work: (trx: DatabaseTransaction, first: First) => Promise<T>,
): Promise<T> {
  const executor = db.getExecutor()
  const transact = async (connection: DatabaseConnection): Promise<T> => {
    const send = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    const open = whileOpen(connection)
    const trx = over(open.connection, executor)
    try {
      const [, read] = await Promise.all([send(beginByKeys), first(trx)])
      const result = await work(trx, read)
      open.close()
      await send('commit')
      return result
    } catch (error) {
      open.close()
      // The connection may be what failed.
      await send('rollback').catch(() => undefined)
      throw error
    }
  }
  return retryConflicts(() => inSpan('transaction', {}, () => executor.provideConnection(transact)))
}

/**
 * The connection, for as long as the transaction lasts. Of statements that are sent together one may fail
 * while another's caller still goes on to its next, as posting does; behind the ROLLBACK that would be
 * carried out by itself, or in another caller's transaction. Kysely's own refuse that too.
 */
function whileOpen(connection: DatabaseConnection) {
  let isOver = false
  return {
    close() {
      isOver = true
    },
    connection: {
      executeQuery: async (...query) => {
        if (isOver) throw new Error('The transaction is over')
        return connection.executeQuery(...query)
      },
      streamQuery: () => {
        throw new Error('Within such a transaction nothing is streamed')
      },
    } satisfies DatabaseConnection as DatabaseConnection,
  }
}

/** Statements that are begun together are sent together. */
function over(connection: DatabaseConnection, executor: QueryExecutor): DatabaseTransaction {
  const atOnce = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
  return new Transaction<DB>({ ...unused, executor: atOnce })
}

const dialect = new PostgresDialect({
  pool: async () => {
    throw new Error('A transaction has its connection already')
  },
})
/** What a transaction has of its database besides, to begin others or to close it. */
const unused = { config: { dialect }, dialect, driver: dialect.createDriver() }
