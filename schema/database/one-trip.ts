import { PostgresDialect, Transaction } from 'kysely'
import type { DatabaseTransaction } from './connect.ts'
import type { DB } from './types.ts'

/**
 * Sends statements of a transaction without waiting for the answer to each, so that they take one round trip: `work` begins all of them with
 * the transaction that it is given, as in `Promise.all`. Postgres carries them out one after the other, so none may need what another
 * returns. When one fails, those behind it fail too, and so does `work`, with the first failure.
 *
 * Kysely's own transaction begins a statement when the one before is answered. https://node-postgres.com/features/pipelining
 */
export function inOneTrip<T>(
  trx: DatabaseTransaction,
  work: (trip: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  const executor = trx.getExecutor()
  return executor.provideConnection((connection) => {
    const atOnce = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
    return work(new Transaction<DB>({ ...unused, executor: atOnce }))
  })
}

const dialect = new PostgresDialect({
  pool: async () => {
    throw new Error('A transaction has its connection already')
  },
})
/** What a transaction has of its database besides, to begin others or to close it. */
const unused = { config: { dialect }, dialect, driver: dialect.createDriver() }
