import { type Kysely, type Selectable, sql } from 'kysely'
import type { DB, FailedTries } from '../../database/types.ts'
import type { PersonInInbox } from '../payloads.ts'

export interface FailedTry extends Pick<Selectable<FailedTries>, 'table_name' | 'row_id' | 'kind' | 'error'> {
  /** Whom it was about: the subject of an event, the owner of everything else. */
  readonly subject: string | null
  readonly at: Date
}

/**
 * Writes down, for support, that a try failed. The same error again is counted, so that an outage of a day,
 * in which a row is tried a hundred times, is one line.
 */
export async function recordError(db: Kysely<DB>, failed: FailedTry): Promise<void> {
  const { table_name, row_id, subject, kind, error, at } = failed
  await sql`
    WITH same AS (
      UPDATE failed_tries SET tries = tries + 1, last_at = greatest(last_at, ${at})
      WHERE id = (SELECT id FROM failed_tries WHERE row_id = ${row_id} ORDER BY id DESC LIMIT 1)
        AND table_name = ${table_name} AND kind = ${kind} AND error = ${error}
      RETURNING id)
    INSERT INTO failed_tries (table_name, row_id, subject, kind, error, first_at, last_at)
    SELECT ${table_name}, ${row_id}, ${subject}, ${kind}, ${error}, ${at}::timestamptz, ${at}::timestamptz
    WHERE NOT EXISTS (SELECT 1 FROM same)`.execute(db)
}

export async function deleteOldTries(db: Kysely<DB>, over_before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('failed_tries')
    .where('last_at', '<', over_before)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes those that were about a person, or name them; returns how many. */
export async function deleteTriesOf(
  db: Kysely<DB>,
  { own, names }: Pick<PersonInInbox, 'own' | 'names'>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM failed_tries WHERE subject = ANY (${own}::text[])
      OR EXISTS (SELECT FROM unnest(${names}::text[]) AS name WHERE position(name IN lower(error)) > 0)`.execute(
    db,
  )
  return Number(numAffectedRows)
}
