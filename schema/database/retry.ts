import { inSpan } from '../tracing.ts'
import type { Database, DatabaseTransaction } from './connect.ts'

/**
 * Postgres ended a transaction so that another one could go on: a deadlock, or two that cannot be put in an
 * order; or it takes no writes any more (25006), and the next connection leads to one that does.
 */
const conflictCodes = ['40P01', '40001', '25006']

const maximumAttempts = 5

/**
 * Runs a transaction, or a statement that is one by itself, again when Postgres ended it in favor of another.
 * `work` must begin from nothing each time. There is no wait between attempts: the other one holds its locks
 * already, and this one queues behind it.
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maximumAttempts || !isConflict(error)) throw error
    }
  }
}

/**
 * The same for a transaction of Kysely's; `work` must do nothing outside it. In a transaction, such as an act
 * of support is, it is a part of that one, which begins again as a whole.
 */
export function retryTransaction<T>(
  db: Database,
  work: (trx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db as DatabaseTransaction)
  return retryConflicts(() => inSpan('transaction', {}, () => db.transaction().execute(work)))
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflictCodes.includes(String(error.code))
}
