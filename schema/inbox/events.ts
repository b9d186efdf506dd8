import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DB, InboxEvents, Json } from '../database/types.ts'
import { cleanRecord } from '../sweep/swept-tables.ts'
import { subjectOf } from './subject.ts'

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
  /** By the product's clock, which tells later for how long it has waited. */
  readonly received_at: Date
  /** When the sweep checks whether it was applied. */
  readonly sweep_at: Date
  /** Left out, by webhook. */
  readonly received_via?: InboxEvent['received_via']
  /** When the sender's own list was seen to hold it. */
  readonly confirmed_at?: Date
  /** When the sender is asked for it by its id, if its list has not shown it by then. */
  readonly confirm_at?: Date
}

export interface StoredEvent {
  /** Whether it still has to be applied: true for a new event and for a repeated one that is not settled yet. */
  readonly unsettled: boolean
  readonly is_new: boolean
}

/** Stores a verified event once, however often it is delivered. */
export async function receiveEvent(db: Kysely<DB>, event: ReceivedEvent): Promise<StoredEvent> {
  const inserted = await db
    .insertInto('inbox_events')
    .values({
      ...event,
      payload: JSON.stringify(event.payload),
      subject: subjectOf(event.source, event.payload),
    })
    .onConflict((conflict) => conflict.columns(['source', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return { unsettled: true, is_new: true }
  const stored = await findEvent(db, event)
  return { unsettled: stored?.state === 'received', is_new: false }
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
  settled: { readonly state: 'applied' | 'ignored'; readonly reason: string | null; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({ state: settled.state, reason: settled.reason, settled_at: settled.now })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}

/** Makes an event that failed, or that nothing followed from, one that is to be applied; its payload must be there. */
export async function reopenEvent(db: Kysely<DB>, key: EventKey): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({ state: 'received', reason: null, settled_at: null, ...cleanRecord })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', 'in', ['failed', 'ignored'])
    .execute()
}

/** Marks the event as failed: no further try can help, and a person has to see to it. */
export async function failEvent(
  db: Kysely<DB>,
  key: EventKey,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({
      state: 'failed',
      reason,
      last_error: reason,
      attempts: sql`attempts + 1`,
      unavailable_since: null,
      settled_at: now,
    })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}
