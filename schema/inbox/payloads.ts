import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { lookupEach } from '../database/lookup-each.ts'
import { makeInboxMonths } from '../database/months.ts'
import type { DB, InboxPayloads } from '../database/types.ts'

/** What an event `e` says, looked up in its month; no row where it was removed. */
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

/**
 * Files payloads; makes their months where they were not made ahead of time. Must not be called in a
 * transaction, which would have failed.
 */
export async function withPartitions<T>(
  db: Kysely<DB>,
  filed: readonly Date[],
  file: () => Promise<T>,
): Promise<T> {
  try {
    return await file()
  } catch (error) {
    if (!isMonthMissing(error)) throw error
    for (const at of filed) await makeInboxMonths(db, at, at)
    return file()
  }
}

function isMonthMissing(error: unknown): boolean {
  const { code, table, constraint } = error as { code?: unknown; table?: unknown; constraint?: unknown }
  // A check that fails has a name; a row without a partition has none.
  return code === '23514' && table === 'inbox_payloads' && constraint === undefined
}

/** For how long payloads are kept at least; a month goes when all of it is that old. */
export interface PayloadRetention {
  readonly finished_ms: number
  /** Of what failed or was forged: a person may need what it said. */
  readonly failed_ms: number
}

/**
 * Drops the months of payloads that are old enough; id, type, times and state of their events stay, so that
 * one that comes again is still known. What is still needed of them is carried over to a later month before.
 * Returns the months that were dropped.
 */
export async function dropOldMonths(
  db: Kysely<DB>,
  {
    now,
    retention,
    limit,
  }: { readonly now: Date; readonly retention: PayloadRetention; readonly limit: number },
): Promise<string[]> {
  const until = new Date(now.getTime() - retention.finished_ms)
  const failed_since = new Date(now.getTime() - retention.failed_ms)
  const dropped: string[] = []
  while (await isMonthOver(db, until)) {
    const before = await withPartitions(db, [now, until], () =>
      carryOver(db, { now, until, failed_since, retention, limit }),
    )
    if (before === limit) continue
    const { rows } = await sql<{ month: string | null }>`
      SELECT inbox_drop_month(${until}, ${failed_since}) AS month`.execute(db)
    const month = rows[0]?.month
    if (!month) break
    dropped.push(month)
  }
  return dropped
}

async function isMonthOver(db: Kysely<DB>, until: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'inbox_payloads'::regclass
      AND right(c.relname, 7) COLLATE "C" < to_char(${until}::timestamptz AT TIME ZONE 'UTC', 'YYYY_MM') LIMIT 1`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Moves payloads that are still needed to a later month; those of failed events go when they were kept long
 * enough. Returns how many.
 */
async function carryOver(
  db: Kysely<DB>,
  {
    now,
    until,
    failed_since,
    retention,
    limit,
  }: {
    readonly now: Date
    readonly until: Date
    readonly failed_since: Date
    readonly retention: PayloadRetention
    readonly limit: number
  },
): Promise<number> {
  const { rows } = await sql`
    WITH needed AS (
      SELECT e.source, e.id, e.payload_filed_at AS filed_at,
        CASE WHEN e.state IN ('failed', 'forged') AND e.confirm_at IS NULL AND e.object_sync_at IS NULL
          THEN least(${now}, e.finished_at + ${retention.failed_ms - retention.finished_ms} * interval '1 millisecond')
          ELSE ${now} END AS new_filed_at
      FROM inbox_events e
      WHERE e.payload_filed_at < date_trunc('month', ${until}::timestamptz, 'UTC')
        AND inbox_needs_payload(e, ${failed_since})
      ORDER BY e.source, e.id LIMIT ${limit} FOR UPDATE),
    moved AS (
      UPDATE inbox_payloads p SET filed_at = needed.new_filed_at FROM needed
      WHERE p.source = needed.source AND p.id = needed.id AND p.filed_at = needed.filed_at)
    UPDATE inbox_events e SET payload_filed_at = needed.new_filed_at FROM needed
    WHERE e.source = needed.source AND e.id = needed.id RETURNING e.id`.execute(db)
  return rows.length
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
