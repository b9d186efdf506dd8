import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
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

/** What the inbox knows a person by; see `subjectOf`. */
export interface PersonInInbox {
  /** Everything that is about these is about the person. */
  readonly own: readonly string[]
  /** What is about these may name others, too: organizations, and what they pay with. */
  readonly shared: readonly string[]
  /** What names the person: their id, their addresses, and Clerk's ids of invitations to them, in lower case. */
  readonly names: readonly string[]
}

/**
 * Removes the payloads of settled events about a person, however young, and of those of their organizations that name them. What is not
 * settled yet, or still to be confirmed, keeps its payload. Returns how many it removed.
 */
export async function removePayloadsOf(
  trx: DatabaseTransaction,
  { own, shared, names, now }: PersonInInbox & { readonly now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE inbox_events SET payload = NULL, raw = NULL, payload_removed_at = ${now}
    WHERE subject = ANY (${[...own, ...shared]}) AND settled_at IS NOT NULL AND payload_removed_at IS NULL
      AND state IN ('applied', 'ignored') AND confirm_at IS NULL AND object_sync_at IS NULL
      AND (subject = ANY (${own}) OR EXISTS (
        SELECT 1 FROM unnest(${names}::text[]) AS named(name)
        WHERE position(named.name IN lower(coalesce(payload::text, ''))) > 0))`.execute(trx)
  return Number(numAffectedRows)
}

/** Ids of events about a person from which something may still follow, the oldest first. */
export async function listOpenEventsOf(
  db: Kysely<DB>,
  { own, limit }: Pick<PersonInInbox, 'own'> & { readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM inbox_events WHERE subject = ANY (${own})
      AND (state = 'received' OR (state = 'failed' AND payload_removed_at IS NULL)
        OR confirm_at IS NOT NULL OR object_sync_at IS NOT NULL)
    ORDER BY received_at LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
