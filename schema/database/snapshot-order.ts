import { type Kysely, sql } from 'kysely'
import type { DB } from './types.ts'

/**
 * The number of a snapshot of something at Stripe or Clerk. It is drawn before they are called, so of two
 * snapshots of one object the one with the higher number has seen at least as much.
 */
export async function nextSnapshotOrder(db: Kysely<DB>): Promise<number> {
  const { snapshot_order } = await db
    .selectNoFrom(sql<number>`nextval('snapshot_orders')`.as('snapshot_order'))
    .executeTakeFirstOrThrow()
  return snapshot_order
}
