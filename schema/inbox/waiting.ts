import { type Kysely, type Selectable, sql } from 'kysely'
import type { DB, InboxEvents } from '../database/types.ts'
import { payload } from './payloads.ts'

/** What a row of the list of waiting events, `w`, stands for. One look-up: planned as a join, it would read all events where many of them wait. */
const listedEvent = sql.raw<Selectable<InboxEvents>>(
  '(SELECT * FROM inbox_events WHERE source = w.source AND id = w.id OFFSET 0)',
)

/** Events `e` that wait, from the list of these, `w`: in the order of `w.received_at` the first ones are found without the others. */
export const waitingEvents = sql`inbox_waiting w CROSS JOIN LATERAL ${listedEvent} e`

/** The same with what they say, `p`. */
export const waitingEventsWithPayloads = sql`${waitingEvents} LEFT JOIN LATERAL ${payload} p ON true`

/** Those events for Kysely's builder. */
export function selectWaiting(db: Kysely<DB>) {
  return db.selectFrom('inbox_waiting as w').innerJoinLateral(listedEvent.as('e'), (join) => join.onTrue())
}
