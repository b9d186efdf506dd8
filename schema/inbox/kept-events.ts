import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import {
  type EventKey,
  insertEvents,
  type ReceivedEvent,
  receiveEvent,
  type StoredEvent,
  selectEvents,
} from './events.ts'
import { namesIn } from './subject.ts'

/** An event that is kept as the bytes that came, because Postgres cannot store it as JSON. */
export interface KeptEvent extends EventKey {
  readonly raw: Buffer
  readonly received_at: Date
}

/**
 * Stores a verified event as `receiveEvent` does. One that Postgres cannot store as JSON is kept as bytes and
 * marked as failed with a reason, because its sender could send it a hundred times to no avail; what it is
 * about is fetched by a job, which is due at once. An event that can be stored pays nothing for this: the
 * attempt to store it is the check.
 */
export async function receiveOrKeepEvent(
  db: Kysely<DB>,
  event: ReceivedEvent,
  { raw, now }: { readonly raw: () => Buffer; readonly now: Date },
): Promise<StoredEvent> {
  const keep = (problem: string) =>
    keepEvent(db, event, {
      raw: raw(),
      now,
      reason: `It cannot be stored as JSON: ${problem}. It is kept as it came.`,
    })
  if (Number.isNaN(event.occurred_at.getTime())) return keep('its time is out of range')
  try {
    return await receiveEvent(db, event)
  } catch (error) {
    const problem = storageProblem(error)
    if (problem === null) throw error
    return keep(problem)
  }
}

async function keepEvent(
  db: Kysely<DB>,
  event: ReceivedEvent,
  kept: { readonly raw: Buffer; readonly now: Date; readonly reason: string },
): Promise<StoredEvent> {
  const inserted = await insertEvents(db, [
    {
      source: event.source,
      id: event.id,
      type: event.type.replaceAll(/[^\w.]/g, '?'),
      ...namesIn(event.source, event.payload),
      raw: kept.raw,
      // Its own time may be what cannot be stored.
      occurred_at: kept.now,
      received_at: event.received_at,
      next_try_at: event.next_try_at,
      received_via: event.received_via ?? 'webhook',
      // The server, which receives webhooks, may not write this column.
      ...(event.confirmed_at && { confirmed_at: event.confirmed_at }),
      confirm_at: event.confirm_at ?? null,
      state: 'failed',
      reason: kept.reason,
      settled_at: kept.now,
      object_sync_at: kept.now,
    },
  ])
  return { unsettled: false, is_new: inserted.length > 0 }
}

/** What is wrong with the event, in words for support; null when the failure has another cause. */
function storageProblem(error: unknown): string | null {
  // JSON.stringify runs out of stack before Postgres does.
  if (error instanceof RangeError) return 'it is nested too deep'
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string') return null
  // Postgres' error codes: classes 22 (data exception) and 54 (program limit exceeded).
  switch (code) {
    case '22P05':
      return 'it contains a NUL character'
    case '22P02':
      return 'it contains half of a surrogate pair'
    case '22008':
      return 'its time is out of range'
    case '54001':
      return 'it is nested too deep'
    default:
      return /^(22|54)\w{3}$/.test(code) ? (message ?? code) : null
  }
}

/** Kept events whose object has to be fetched now, the longest overdue first. */
export async function listDueKeptEvents(
  db: Kysely<DB>,
  due: { readonly now: Date; readonly limit: number },
): Promise<KeptEvent[]> {
  const rows = await selectEvents(db)
    .where('e.object_sync_at', '<=', due.now)
    .orderBy('e.object_sync_at')
    .limit(due.limit)
    .execute()
  return rows.flatMap(({ source, id, raw, received_at }) => (raw ? [{ source, id, raw, received_at }] : []))
}

/**
 * Records, in the transaction that does it, that what a kept event is about is up to date. The event stays
 * failed.
 */
export async function markObjectSynced(trx: DatabaseTransaction, key: EventKey): Promise<void> {
  await trx
    .updateTable('inbox_events')
    .set({
      object_sync_at: null,
      reason: sql`reason || ' What it is about was fetched and is up to date.'`,
    })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .where('object_sync_at', 'is not', null)
    .execute()
}

/** Records that the object could not be fetched, and when to try again; null gives up. */
export async function postponeObjectSync(
  db: Kysely<DB>,
  key: EventKey,
  { last_error, next_at }: { readonly last_error: string; readonly next_at: Date | null },
): Promise<void> {
  await db
    .updateTable('inbox_events')
    .set({ object_sync_at: next_at, last_error })
    .where('source', '=', key.source)
    .where('id', '=', key.id)
    .execute()
}
