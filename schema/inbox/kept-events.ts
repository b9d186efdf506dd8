import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import { type EventKey, selectEvents } from './events.ts'

/** An event that is kept as the bytes that came, because Postgres cannot store it as JSON. */
export interface KeptEvent extends EventKey {
  readonly raw: Buffer
  readonly received_at: Date
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
