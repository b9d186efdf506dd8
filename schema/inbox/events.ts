import { CompiledQuery, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import { type Claimable, cleanRecord } from '../claim/claimable.ts'
import { preparedText } from '../database/prepared.ts'
import type { DB, InboxEvents, InboxPayloads, Json } from '../database/types.ts'
import { eventsWithPayloadsText, selectEventsWithPayloads } from './payloads.ts'

/** A row of the inbox with what the event says; `payload` and `raw` are null once that was removed. */
export type InboxEvent = Selectable<InboxEvents> & Pick<Selectable<InboxPayloads>, 'payload' | 'raw'>
export type EventSource = InboxEvent['source']

export interface EventKey {
  readonly source: EventSource
  readonly id: string
}

export const claimableEvents = {
  table: 'inbox_events',
  key: ['source', 'id'],
  unfinished: sql<SqlBool>`finished_at IS NULL`,
} as const satisfies Claimable

/** Unique among the events of all senders. */
export function nameOf({ source, id }: EventKey): string {
  return `${source}/${id}`
}

/**
 * What every event is stored with. The server may write no other columns but those of an event that is kept
 * as bytes.
 */
const storedColumns = {
  source: 'text',
  id: 'text',
  type: 'text',
  subject: 'text',
  client_reference_id: 'text',
  occurred_at: 'timestamptz',
  received_at: 'timestamptz',
  next_try_at: 'timestamptz',
  confirm_at: 'timestamptz',
} as const

const moreColumns = {
  received_via: 'text',
  confirmed_at: 'timestamptz',
  state: 'text',
  reason: 'text',
  finished_at: 'timestamptz',
  object_sync_at: 'timestamptz',
} as const

const defaults: Readonly<Record<string, string>> = {
  received_via: "coalesce(received_via, 'webhook')",
  state: "coalesce(state, 'received')",
}

/** A row to insert: columns that are left out are as the table has them by itself. */
export type NewEvent = EventKey & {
  readonly received_at: Date
} & {
  readonly [Column in Exclude<
    keyof typeof storedColumns | keyof typeof moreColumns,
    'source' | 'id' | 'received_at'
  >]?: string | Date | null | undefined
} & (
    | { readonly payload: Json }
    /** The bytes of one that Postgres cannot store as JSON. */
    | { readonly raw: Buffer }
  )

/**
 * Inserts events with what they say, those that are not there yet, in one statement: neither can be there
 * without the other. Returns the keys of those that were inserted. They are written in the order of their
 * ids, so that two processes that are sent some of the same cannot deadlock.
 */
export async function insertEvents(db: Kysely<DB>, events: readonly NewEvent[]): Promise<EventKey[]> {
  const distinct = new Map(events.map((event) => [nameOf(event), event]))
  const sorted = [...distinct].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, event]) => event)
  const more = Object.keys(moreColumns).filter((column) => sorted.some((event) => column in event))
  const given = [`[${sorted.map(jsonOf).join()}]`]
  if (more.length === 0) return insertUsual(db, given)
  return (await db.executeQuery<EventKey>(CompiledQuery.raw(insertText(more), given))).rows
}

function insertText(more: readonly string[]): string {
  const columns = [...Object.keys(storedColumns), ...more]
  const types: Readonly<Record<string, string>> = { ...storedColumns, ...moreColumns }
  return `
    WITH given AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS given (${columns.map((column) => `${column} ${types[column]}`).join()}, payload jsonb, raw text)),
    stored AS (
      INSERT INTO inbox_events (${columns.join()}, payload_filed_at)
      SELECT ${columns.map((column) => defaults[column] ?? column).join()}, received_at FROM given
      ON CONFLICT (source, id) DO NOTHING RETURNING source, id),
    filed AS (
      INSERT INTO inbox_payloads (source, id, filed_at, payload, raw)
      SELECT source, id, received_at, payload, decode(raw, 'base64') FROM given JOIN stored USING (source, id))
    SELECT source, id FROM stored`
}

const insertUsual = preparedText<EventKey>('inbox_receive', insertText([]))

function jsonOf({ source, id, ...fields }: NewEvent): string {
  const row: Record<string, unknown> = { source, id }
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Date) row[name] = timeOf(value)
    else row[name] = Buffer.isBuffer(value) ? value.toString('base64') : value
  }
  return JSON.stringify(row)
}

/** A year of more than four digits has a sign and zeros in JavaScript, which Postgres does not accept. */
function timeOf(date: Date): string {
  return date.toISOString().replace(/^\+0*/, '')
}

/** Events `e` with what they say. */
export function selectEvents(db: Kysely<DB>) {
  return selectEventsWithPayloads(db).selectAll('e').select(['p.payload', 'p.raw'])
}

export async function findEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return selectEvents(db).where('e.source', '=', key.source).where('e.id', '=', key.id).executeTakeFirst()
}

/** What may have changed of an event since it was read. */
export type LockedEvent = Pick<
  InboxEvent,
  'source' | 'id' | 'type' | 'state' | 'received_at' | 'confirmed_at'
>

/** Reads the event and keeps other workers from applying it until the transaction ends. */
export async function lockEvent(db: Kysely<DB>, { source, id }: EventKey): Promise<LockedEvent | undefined> {
  return db
    .selectFrom('inbox_events')
    .select(['source', 'id', 'type', 'state', 'received_at', 'confirmed_at'])
    .where('source', '=', source)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** An event with all that has to be known to try it. */
export type EventToTry = Pick<InboxEvent, 'id' | 'type' | 'state' | 'claims' | 'received_at' | 'payload'>

/**
 * Locks several and reads what they say, in the order of their ids, so that concurrent lockers cannot
 * deadlock.
 */
export async function lockEvents(
  db: Kysely<DB>,
  { source, ids }: { readonly source: EventSource; readonly ids: readonly string[] },
): Promise<EventToTry[]> {
  return lockByIds(db, [source, ids])
}

const lockByIds = preparedText<EventToTry>(
  'lock_events',
  `SELECT e.id, e.type, e.state, e.claims, e.received_at, p.payload FROM ${eventsWithPayloadsText}
   WHERE e.source = $1 AND e.id = ANY ($2::text[]) ORDER BY e.id FOR UPDATE OF e`,
)

export interface FinishedEvent extends EventKey {
  readonly state: 'applied' | 'ignored'
  readonly reason: string | null
}

/**
 * Marks events as finished, in the transaction that applied them. One that had failed, or from which nothing
 * had followed, was replayed: what its tries left is cleared.
 */
export async function finishEvents(
  db: Kysely<DB>,
  finished: readonly FinishedEvent[],
  now: Date,
): Promise<void> {
  const all = <Value>(pick: (event: FinishedEvent) => Value) => finished.map(pick)
  await finishByKeys(db, [
    all(({ source }) => source),
    all(({ id }) => id),
    all(({ state }) => state),
    all(({ reason }) => reason),
    now,
    ...Object.values(cleanRecord),
  ])
}

const finishByKeys = preparedText(
  'finish_events',
  `UPDATE inbox_events event
   SET state = finished.state, reason = finished.reason, finished_at = $5, ${Object.keys(cleanRecord)
     .map(
       (column, index) =>
         `${column} = CASE WHEN event.state <> 'received' THEN $${index + 6} ELSE event.${column} END`,
     )
     .join(', ')}
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS finished (source, id, state, reason)
   WHERE event.source = finished.source AND event.id = finished.id AND event.state IN ('received', 'failed', 'ignored')`,
)

/** Marks one event as finished. */
export async function finishEvent(
  db: Kysely<DB>,
  { source, id }: EventKey,
  { state, reason, now }: Pick<FinishedEvent, 'state' | 'reason'> & { readonly now: Date },
): Promise<void> {
  await finishEvents(db, [{ source, id, state, reason }], now)
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
      finished_at: now,
    })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}
