import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'

/** The number of a look at Stripe, taken before it asks: of two looks at one object, the one with the lower number is older. */
export async function nextLookOrder(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ order: number }>`SELECT nextval('stripe_fetches') AS order`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The sequence of looks returned nothing')
  return row.order
}
