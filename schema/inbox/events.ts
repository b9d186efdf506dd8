import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DB, InboxEvents, Json } from '../database/types.ts'

export type InboxEvent = Selectable<InboxEvents>
export type EventSource = InboxEvent['source']

export interface EventKey {
  readonly source: EventSource
  readonly id: string
}

export interface ReceivedEvent extends EventKey {
  readonly type: string
  readonly payload: Json
  /** When it happened, by the sender's clock. */
  readonly occurred_at: Date
  /** When the sweep checks whether it was applied. */
  readonly sweep_at: Date
}

/**
 * Stores a verified event once, however often it is delivered. Says whether it still has to be applied: true for a new one
 * and for a repeated one that nobody has settled yet.
 */
export async function receiveEvent(db: Kysely<DB>, event: ReceivedEvent): Promise<{ unsettled: boolean }> {
  const inserted = await db
    .insertInto('inbox_events')
    .values({ ...event, payload: JSON.stringify(event.payload) })
    .onConflict((conflict) => conflict.columns(['source', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return { unsettled: true }
  const stored = await findEvent(db, event)
  return { unsettled: stored?.state === 'received' }
}

export async function findEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return db
    .selectFrom('inbox_events')
    .selectAll()
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .executeTakeFirst()
}

/** Reads the event and keeps other workers from applying it until the transaction ends. */
export async function lockEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return db
    .selectFrom('inbox_events')
    .selectAll()
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirst()
}

/** Marks the event as settled, in the transaction that applied it. */
export async function settleEvent(
  db: Kysely<DB>,
  key: EventKey,
  settled: { state: 'applied' | 'ignored' | 'failed'; reason: string | null },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({ state: settled.state, reason: settled.reason, settled_at: sql`now()` })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}

/** Records an attempt that failed, and when the sweep enqueues the event if the queue has not retried it by then. */
export async function recordFailedAttempt(
  db: Kysely<DB>,
  key: EventKey,
  attempt: { last_error: string; sweep_at: Date },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({ attempts: sql`attempts + 1`, last_error: attempt.last_error, sweep_at: attempt.sweep_at })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}
