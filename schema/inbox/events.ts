import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { preparedAs } from '../database/prepared.ts'
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
  const [stored] = await receiveEvents(db, [event])
  if (!stored) throw new Error('The inbox did not take an event')
  return stored
}

/** The same for several in one statement: all or none are stored. What became of each, in their order. */
export async function receiveEvents(
  db: Kysely<DB>,
  events: readonly ReceivedEvent[],
): Promise<StoredEvent[]> {
  const inserted = await db
    .insertInto('inbox_events')
    // In the order of their ids, so that two processes that are sent some of the same wait for each other in a line.
    .values(events.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).map(rowOf))
    .onConflict((conflict) => conflict.columns(['source', 'id']).doNothing())
    .returning(['source', 'id'])
    .execute()
  const fresh = new Set(inserted.map(nameOf))
  const known = events.filter((event) => !fresh.has(nameOf(event)))
  const unsettled = new Set([...fresh, ...(await listUnsettled(db, known)).map(nameOf)])
  // One that came twice at the same moment is new once.
  return events.map(nameOf).map((name) => ({ unsettled: unsettled.has(name), is_new: fresh.delete(name) }))
}

function nameOf({ source, id }: EventKey): string {
  return `${source}/${id}`
}

function rowOf(event: ReceivedEvent) {
  return {
    ...event,
    payload: JSON.stringify(event.payload),
    subject: subjectOf(event.source, event.payload),
  }
}

/** Those of them that are in the inbox and still have to be applied. */
async function listUnsettled(db: Kysely<DB>, keys: readonly EventKey[]): Promise<EventKey[]> {
  if (keys.length === 0) return []
  return db
    .selectFrom('inbox_events')
    .select(['source', 'id'])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('source', 'id'),
        'in',
        keys.map(({ source, id }) => tuple(source, id)),
      ),
    )
    .where('state', '=', 'received')
    .execute()
}

export async function findEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return db
    .selectFrom('inbox_events')
    .selectAll()
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .executeTakeFirst()
}

/** What has to be known of an event before it is tried. */
export type EventToTry = Pick<InboxEvent, 'id' | 'state' | 'sweeps' | 'payload'>

/** Those that are in the inbox, in no order. */
export async function findEvents(
  db: Kysely<DB>,
  { source, ids }: { readonly source: EventSource; readonly ids: readonly string[] },
): Promise<EventToTry[]> {
  return db
    .selectFrom('inbox_events')
    .select(['id', 'state', 'sweeps', 'payload'])
    .where('source', '=', source)
    .where(sql<boolean>`id = ANY(${ids}::text[])`)
    .modifyEnd(preparedAs('find_events'))
    .execute()
}

/** What may have changed of an event since it was read. */
export type LockedEvent = Pick<
  InboxEvent,
  'source' | 'id' | 'type' | 'state' | 'received_at' | 'confirmed_at'
>

/** Reads the event and keeps other workers from applying it until the transaction ends. */
export async function lockEvent(db: Kysely<DB>, { source, id }: EventKey): Promise<LockedEvent | undefined> {
  return (await lockEvents(db, { source, ids: [id] }))[0]
}

/** The same for several, in the order of their ids, so that two who lock some of the same wait for each other in a line. */
export async function lockEvents(
  db: Kysely<DB>,
  { source, ids }: { readonly source: EventSource; readonly ids: readonly string[] },
): Promise<LockedEvent[]> {
  return db
    .selectFrom('inbox_events')
    .select(['source', 'id', 'type', 'state', 'received_at', 'confirmed_at'])
    .where('source', '=', source)
    .where(sql<boolean>`id = ANY(${ids}::text[])`)
    .orderBy('id')
    .forUpdate()
    .modifyEnd(preparedAs('lock_events'))
    .execute()
}

export interface SettledEvent extends EventKey {
  readonly state: 'applied' | 'ignored'
  readonly reason: string | null
}

/**
 * Marks events as settled, in the transaction that applied them. One that had failed, or from which nothing had followed, was replayed: what
 * its tries left is cleared.
 */
export async function settleEvents(
  db: Kysely<DB>,
  settled: readonly SettledEvent[],
  now: Date,
): Promise<void> {
  const isReplayed = sql<boolean>`event.state <> 'received'`
  await db
    .updateTable('inbox_events as event')
    .from(
      sql<SettledEvent>`unnest(
        ${settled.map(({ source }) => source)}::text[], ${settled.map(({ id }) => id)}::text[],
        ${settled.map(({ state }) => state)}::text[], ${settled.map(({ reason }) => reason)}::text[])`.as<'settled'>(
        sql`settled (source, id, state, reason)`,
      ),
    )
    .set({
      state: sql`settled.state`,
      reason: sql`settled.reason`,
      settled_at: now,
      sweeps: sql`CASE WHEN ${isReplayed} THEN ${cleanRecord.sweeps} ELSE event.sweeps END`,
      attempts: sql`CASE WHEN ${isReplayed} THEN ${cleanRecord.attempts} ELSE event.attempts END`,
      last_error: sql`CASE WHEN ${isReplayed} THEN ${cleanRecord.last_error} ELSE event.last_error END`,
      unavailable_since: sql`CASE WHEN ${isReplayed} THEN ${cleanRecord.unavailable_since} ELSE event.unavailable_since END`,
    })
    .whereRef('event.source', '=', 'settled.source')
    .whereRef('event.id', '=', 'settled.id')
    .where('event.state', 'in', ['received', 'failed', 'ignored'])
    .modifyEnd(preparedAs('settle_events'))
    .execute()
}

/** Marks one event as settled. */
export async function settleEvent(
  db: Kysely<DB>,
  { source, id }: EventKey,
  { state, reason, now }: Pick<SettledEvent, 'state' | 'reason'> & { readonly now: Date },
): Promise<void> {
  await settleEvents(db, [{ source, id, state, reason }], now)
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
