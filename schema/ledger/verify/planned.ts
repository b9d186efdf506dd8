import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'

/**
 * Makes Postgres plan what follows for reading all of what it names. Without this it makes a plan that has
 * the first rows soon, by a look-up for each row in each table that is joined; and of new books, which have
 * no statistics, it believes that there are few.
 */
export async function planToReadAll(trx: DatabaseTransaction): Promise<void> {
  await sql`
    SELECT set_config('enable_nestloop', 'off', true), set_config('cursor_tuple_fraction', '1', true),
      set_config('work_mem', '64MB', true)`.execute(trx)
}

/** Ends that: look-ups are planned again. */
export async function planToLookUp(trx: DatabaseTransaction): Promise<void> {
  await sql`SET LOCAL enable_nestloop = on`.execute(trx)
}

/**
 * Makes Postgres prefer the index scan that has the wanted order: the rows are wide and stored in this order,
 * so sorting costs more.
 */
export async function planToReadInOrder(trx: DatabaseTransaction): Promise<void> {
  await sql`SET LOCAL enable_sort = off`.execute(trx)
}
