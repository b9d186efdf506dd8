import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { DB, InboxEvents } from '../database/types.ts'
import { type Claimable, cleanRecord } from './claim/claimable.ts'

/** A row of the inbox; `payload` is what the event says, null once that was removed. */
export type InboxEvent = Selectable<InboxEvents>
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

export async function findEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return selectEvent(db, key).executeTakeFirst()
}

/** Reads the event and keeps other workers from applying it until the transaction ends. */
export async function lockEvent(db: Kysely<DB>, key: EventKey): Promise<InboxEvent | undefined> {
  return selectEvent(db, key).forUpdate().executeTakeFirst()
}

function selectEvent(db: Kysely<DB>, { source, id }: EventKey) {
  return db.selectFrom('inbox_events').selectAll().where('source', '=', source).where('id', '=', id)
}

export async function listKnownEvents(
  db: Kysely<DB>,
  { source, ids }: { readonly source: EventSource; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const known = await db
    .selectFrom('inbox_events')
    .select('id')
    .where('source', '=', source)
    .where(sql<SqlBool>`id = ANY (${ids})`)
    .execute()
  return new Set(known.map(({ id }) => id))
}

/**
 * Marks an event as finished, in the transaction that applied it. One that had failed, or from which nothing
 * had followed, was replayed: what its tries left is cleared.
 */
export async function finishEvent(
  db: Kysely<DB>,
  { source, id }: EventKey,
  finished: { readonly state: 'applied' | 'ignored'; readonly reason: string | null; readonly now: Date },
): Promise<void> {
  const { state, reason, now } = finished
  const unlessReceived = ([column, clean]: readonly [string, unknown]) =>
    [column, sql`CASE WHEN state <> 'received' THEN ${clean} ELSE ${sql.ref(column)} END`] as const
  await db
    .updateTable('inbox_events')
    .set({
      state,
      reason,
      finished_at: now,
      ...Object.fromEntries(Object.entries(cleanRecord).map(unlessReceived)),
    })
    .where('source', '=', source)
    .where('id', '=', id)
    .where('state', 'in', ['received', 'failed', 'ignored'])
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
      finished_at: now,
    })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('state', '=', 'received')
    .execute()
}
