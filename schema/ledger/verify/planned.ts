import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'

/**
 * Opens cursors whose plans are made for reading all of what they name, or some of it. Without this Postgres makes a plan that has the first
 * rows soon, by a look-up for each row in each table that is joined; and of new books, which have no statistics, it believes that there are few.
 */
export async function planned<T>(
  trx: DatabaseTransaction,
  reads: 'all' | 'some',
  open: () => Promise<T>,
): Promise<T> {
  if (reads === 'some') return open()
  await sql`
    SELECT set_config('enable_nestloop', 'off', true), set_config('cursor_tuple_fraction', '1', true),
      set_config('work_mem', '64MB', true)`.execute(trx)
  const opened = await open()
  await sql`SET LOCAL enable_nestloop = on`.execute(trx)
  return opened
}
