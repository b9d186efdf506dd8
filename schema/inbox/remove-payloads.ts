import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'

/**
 * Removes the payloads of up to `limit` events that were settled before a moment; id, type, times and state stay, so that an event
 * that comes again is still known. Returns how many it removed.
 */
export async function removePayloads(
  db: Kysely<DB>,
  old: {
    readonly state: 'applied' | 'ignored' | 'failed' | 'forged'
    readonly settled_before: Date
    readonly limit: number
    readonly now: Date
  },
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE inbox_events SET payload = NULL, raw = NULL, object_sync_at = NULL, payload_removed_at = ${old.now}
    WHERE (source, id) IN (
      SELECT source, id FROM inbox_events
      WHERE state = ${old.state} AND settled_at < ${old.settled_before} AND payload_removed_at IS NULL
      ORDER BY settled_at LIMIT ${old.limit} FOR UPDATE SKIP LOCKED)`.execute(db)
  return Number(numAffectedRows)
}
