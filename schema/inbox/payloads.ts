import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'

/**
 * Removes what events say that were finished before a moment; id, type, times and state stay, so that one that
 * comes again is still known. Returns how many.
 */
export async function removeOldPayloads(db: Kysely<DB>, finished_before: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('inbox_events')
    .set({ payload: null })
    .where('payload', 'is not', null)
    .where('finished_at', '<', finished_before)
    .executeTakeFirst()
  return Number(numUpdatedRows)
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

/** Whether an event is about a person, or is one of their organizations' that names them. */
function isAbout({ own, shared, names }: PersonInInbox): RawBuilder<SqlBool> {
  return sql<SqlBool>`subject = ANY (${[...own, ...shared]}) AND payload IS NOT NULL
    AND (subject = ANY (${own}) OR EXISTS (
      SELECT FROM unnest(${names}::text[]) AS name WHERE position(name IN lower(payload::text)) > 0))`
}

/**
 * Removes the payloads of finished events about a person, however young, and of those of their organizations
 * that name them: of all, or of those that came since a moment. What is not finished yet or has failed keeps
 * its payload. Returns how many it removed.
 */
export async function removePayloadsOf(
  trx: DatabaseTransaction,
  { since, ...person }: PersonInInbox & { readonly since?: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE inbox_events SET payload = NULL WHERE ${isAbout(person)} AND state IN ('applied', 'ignored')
      ${since ? sql`AND received_at >= ${since}` : sql``}`.execute(trx)
  return Number(numAffectedRows)
}

/** Ids of events about a person whose payload is still needed, the oldest first. */
export async function listOpenEventsOf(
  db: Kysely<DB>,
  { limit, ...person }: PersonInInbox & { readonly limit: number },
): Promise<string[]> {
  const open = await db
    .selectFrom('inbox_events')
    .select('id')
    .where(isAbout(person))
    .where('state', 'in', ['received', 'failed'])
    .orderBy('received_at')
    .limit(limit)
    .execute()
  return open.map(({ id }) => id)
}
