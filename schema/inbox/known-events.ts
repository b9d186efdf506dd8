import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import { type EventKey, type EventSource, type InboxEvent, selectEvents } from './events.ts'
import { eventsWithPayloads } from './payloads.ts'

/**
 * What an event says, as far as it is compared with the sender's own: never only its id, which is no
 * secret.
 */
export interface EventContent {
  readonly type: string
  readonly object_id: string | null
  /** Of a checkout session. */
  readonly payment_status: string | null
}

export function isSameContent(one: EventContent, other: EventContent): boolean {
  return (
    one.type === other.type &&
    one.object_id === other.object_id &&
    one.payment_status === other.payment_status
  )
}

/**
 * Notes that the sender's own list holds these events, on those that are in the inbox and say the same.
 * Returns the ids of all that are in the inbox; the others never came. An event that was confirmed before
 * keeps its time.
 */
export async function confirmEvents(
  db: Kysely<DB>,
  listed: {
    readonly source: EventSource
    readonly events: ReadonlyMap<string, EventContent>
    readonly now: Date
  },
): Promise<ReadonlySet<string>> {
  const ids = [...listed.events.keys()]
  if (ids.length === 0) return new Set()
  const { rows } = await sql<
    EventContent & Pick<InboxEvent, 'id' | 'confirmed_at'> & { is_without_payload: boolean }
  >`
    SELECT e.id, e.type, e.confirmed_at, p.payload IS NULL AS is_without_payload, p.payload #>> '{data,object,id}' AS object_id,
      p.payload #>> '{data,object,payment_status}' AS payment_status
    FROM ${eventsWithPayloads} WHERE e.source = ${listed.source} AND e.id = ANY (${ids})`.execute(db)
  const genuine = rows.filter((row) => {
    const theirs = listed.events.get(row.id)
    // Nothing follows from an event without a payload but a fetch.
    return row.confirmed_at === null && theirs && (row.is_without_payload || isSameContent(row, theirs))
  })
  if (genuine.length > 0) {
    await db
      .updateTable('inbox_events')
      .set({ confirmed_at: listed.now, confirm_at: null })
      .where('source', '=', listed.source)
      .where(
        'id',
        'in',
        genuine.map(({ id }) => id),
      )
      .where('confirmed_at', 'is', null)
      .where('state', '<>', 'forged')
      .execute()
  }
  return new Set(rows.map(({ id }) => id))
}

/**
 * Stripe's events that its list has not shown in time: those first from which something followed, so that a
 * flood of others does not hide them.
 */
export async function listUnconfirmedEvents(
  db: Kysely<DB>,
  due: { readonly now: Date; readonly limit: number },
): Promise<InboxEvent[]> {
  return selectEvents(db)
    .where('e.source', '=', 'stripe')
    .where('e.confirm_at', '<=', due.now)
    .orderBy(sql`e.state = 'applied' AND e.reason IS NULL`, 'desc')
    .orderBy('e.confirm_at')
    .limit(due.limit)
    .execute()
}

/** Whether an event came that its sender has not been asked about. */
export async function hasUnconfirmedEvents(db: Kysely<DB>): Promise<boolean> {
  const row = await db
    .selectFrom('inbox_events')
    .select('id')
    .where('confirm_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Records that the sender could not be asked, and when it is asked again. */
export async function postponeConfirmation(
  db: Kysely<DB>,
  key: EventKey,
  postponed: { readonly confirm_at: Date; readonly last_error: string },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set(postponed)
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('confirmed_at', 'is', null)
    .execute()
}

/**
 * Marks an event that its sender does not know, in the transaction that took back what had followed from it.
 */
export async function markForged(db: Kysely<DB>, key: EventKey, reason: string): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({
      state: 'forged',
      reason,
      finished_at: sql`coalesce(finished_at, now())`,
      confirm_at: null,
      object_sync_at: null,
      unavailable_since: null,
    })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .execute()
}
