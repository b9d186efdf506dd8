import { type Kysely, sql } from 'kysely'
import type { DB } from '../../../schema/database/types.ts'

/** What a list of waiting rows (decision 162) has and should not, or lacks, in words: nothing, ever. */
export async function differencesOfLists(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ what: string; id: string }>`
    WITH events AS (SELECT received_at, source, id, sweep_at FROM inbox_events WHERE state = 'received'),
      listed_events AS (SELECT received_at, source, id, sweep_at FROM inbox_waiting),
      intents AS (
        SELECT user_id, id, coalesce(owner_id, user_id), kind, livemode, sweep_at FROM checkout_intents
        WHERE state IN ('created', 'open', 'awaiting_payment')),
      listed_intents AS (SELECT user_id, id, receiver_id, kind, livemode, sweep_at FROM checkout_waiting)
    SELECT 'event that waits and is not listed' AS what, id FROM (SELECT * FROM events EXCEPT SELECT * FROM listed_events) e
    UNION ALL SELECT 'event listed as it is not', id FROM (SELECT * FROM listed_events EXCEPT SELECT * FROM events) e
    UNION ALL SELECT 'checkout that waits and is not listed', id::text FROM (SELECT * FROM intents EXCEPT SELECT * FROM listed_intents) i
    UNION ALL SELECT 'checkout listed as it is not', id::text FROM (SELECT * FROM listed_intents EXCEPT SELECT * FROM intents) i`.execute(
    db,
  )
  return rows.map(({ what, id }) => `${what}: ${id}`)
}
