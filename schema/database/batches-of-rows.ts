import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseTransaction } from './connect.ts'

const batchSize = 5000

/**
 * Reads the rows of a query some thousand at a time, through a cursor of the transaction. Postgres reads the
 * next batch while the caller handles this one.
 */
export async function* batchesOfRows<Row>(
  trx: DatabaseTransaction,
  query: RawBuilder<Row>,
): AsyncGenerator<Row[]> {
  const cursor = sql.ref(randomUUID())
  await sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`.execute(trx)
  const fetch = () => {
    const fetching = sql<Row>`FETCH ${sql.lit(batchSize)} FROM ${cursor}`.execute(trx)
    // An error is thrown when the batch is asked for.
    fetching.catch(() => undefined)
    return fetching
  }
  let next = fetch()
  for (;;) {
    const { rows } = await next
    if (rows.length < batchSize) {
      await sql`CLOSE ${cursor}`.execute(trx)
      if (rows.length > 0) yield rows
      return
    }
    next = fetch()
    yield rows
  }
}
