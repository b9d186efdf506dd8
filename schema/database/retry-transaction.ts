import { setTimeout } from 'node:timers/promises'
import type { Database, DatabaseTransaction } from './connect.ts'

const maximumTries = 6

/**
 * Runs a transaction, and runs it again when Postgres chose it to end a deadlock, which nothing of it has survived. Our locks are
 * taken in a fixed order, so this is for what nobody has thought of. `work` must do nothing outside the transaction.
 */
export function retryTransaction<T>(
  db: Database,
  work: (trx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return retryDeadlocks(() => db.transaction().execute(work))
}

/** The same for a single statement, or anything else that is one transaction of its own. */
export async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || tries >= maximumTries) throw error
      // Those that collided must not meet again.
      await setTimeout(Math.random() * 10 * 2 ** tries)
    }
  }
}

/** 40P01 is a deadlock, 40001 a serialization failure; after both, Postgres asks for the transaction to be repeated. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}
