import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { lookupEach } from '../database/lookup-each.ts'
import type { DB, InboxPayloads } from '../database/types.ts'

/** What an event `e` says; no row where it was removed. */
const payload =
  'SELECT payload, raw FROM inbox_payloads WHERE source = e.source AND id = e.id AND filed_at = e.payload_filed_at'

/** Events `e` with what they say, `p`. */
export const eventsWithPayloadsText = `inbox_events e LEFT JOIN ${lookupEach(payload, 'p')} ON true`
export const eventsWithPayloads = sql.raw(eventsWithPayloadsText)

/** The same for Kysely's builder. */
export function selectEventsWithPayloads(db: Kysely<DB>) {
  const lookedUp = sql<Pick<Selectable<InboxPayloads>, 'payload' | 'raw'>>`(${sql.raw(payload)} OFFSET 0)`
  return db.selectFrom('inbox_events as e').leftJoinLateral(lookedUp.as('p'), (join) => join.onTrue())
}

/** For how long payloads are kept. */
export interface PayloadRetention {
  readonly finished_ms: number
  /** Of what failed or was forged: a person may need what it said. */
  readonly failed_ms: number
}

/**
 * Removes payloads that are old enough and from which nothing follows any more; id, type, times and state of
 * their events stay, so that one that comes again is still known. Returns how many it removed.
 */
export async function removeOldPayloads(
  db: Kysely<DB>,
  {
    now,
    retention,
    limit,
  }: { readonly now: Date; readonly retention: PayloadRetention; readonly limit: number },
): Promise<number> {
  const until = new Date(now.getTime() - retention.finished_ms)
  const failed_since = new Date(now.getTime() - retention.failed_ms)
  const { numAffectedRows } = await sql`
    WITH old AS (
      SELECT e.source, e.id, e.payload_filed_at FROM inbox_payloads p
      JOIN inbox_events e ON e.source = p.source AND e.id = p.id
      WHERE p.filed_at < ${until} AND NOT inbox_needs_payload(e, ${failed_since})
      ORDER BY p.filed_at LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED),
    gone AS (
      DELETE FROM inbox_payloads p USING old
      WHERE p.source = old.source AND p.id = old.id AND p.filed_at = old.payload_filed_at)
    UPDATE inbox_events e SET payload_filed_at = NULL, payload_removed_at = ${now} FROM old
    WHERE e.source = old.source AND e.id = old.id`.execute(db)
  return Number(numAffectedRows)
}

/** Subjects and names that identify a person in the inbox; see `namesIn`. */
export interface PersonInInbox {
  /** Everything that is about these is about the person. */
  readonly own: readonly string[]
  /** What is about these may name others, too: organizations, and what they pay with. */
  readonly shared: readonly string[]
  /**
   * What names the person: their id, their addresses, their full name, and Clerk's ids of invitations to
   * them, in lower case.
   */
  readonly names: readonly string[]
}

/** Events `e` about a person, and those of their organizations that name them, with what they say. */
function about({ own, shared, names }: PersonInInbox) {
  return sql`${eventsWithPayloads}
    WHERE e.subject = ANY (${[...own, ...shared]}) AND num_nonnulls(p.payload, p.raw) > 0
      AND (e.subject = ANY (${own}) OR EXISTS (
        SELECT FROM unnest(${names}::text[]) AS name
        WHERE position(name IN lower(coalesce(p.payload::text, encode(p.raw, 'escape')))) > 0))`
}

/**
 * Removes the payloads of finished events about a person, however young, and of those of their organizations
 * that name them: of all, or of those that came since a moment. What is not finished yet, has failed or is
 * still to be confirmed keeps its payload. Returns how many it removed.
 */
export async function removePayloadsOf(
  trx: DatabaseTransaction,
  { now, since, ...person }: PersonInInbox & { readonly now: Date; readonly since?: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH theirs AS (
      SELECT e.source, e.id, e.payload_filed_at FROM ${about(person)}
        AND e.state IN ('applied', 'ignored', 'forged') AND e.confirm_at IS NULL AND e.object_sync_at IS NULL
        ${since ? sql`AND e.received_at >= ${since}` : sql``}
      FOR UPDATE OF e),
    gone AS (
      DELETE FROM inbox_payloads p USING theirs
      WHERE p.source = theirs.source AND p.id = theirs.id AND p.filed_at = theirs.payload_filed_at)
    UPDATE inbox_events e SET payload_filed_at = NULL, payload_removed_at = ${now} FROM theirs
    WHERE e.source = theirs.source AND e.id = theirs.id`.execute(trx)
  return Number(numAffectedRows)
}

/** Ids of events about a person whose payload is still needed, the oldest first. */
export async function listOpenEventsOf(
  db: Kysely<DB>,
  { limit, ...person }: PersonInInbox & { readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT e.id FROM ${about(person)}
      AND (e.state IN ('received', 'failed') OR e.confirm_at IS NOT NULL OR e.object_sync_at IS NOT NULL)
    ORDER BY e.received_at LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
