import { type Kysely, type Selectable, sql } from 'kysely'
import type { Cursors, DB, Json } from '../../database/types.ts'

export type Cursor = Selectable<Cursors>
export type CursorName = Cursor['name']

/** Undefined before the first move. */
export async function findCursor(db: Kysely<DB>, name: CursorName): Promise<Cursor | undefined> {
  return db.selectFrom('cursors').selectAll().where('name', '=', name).executeTakeFirst()
}

/** A worker that does no job for so long is taken to be gone; it says every five seconds that it does some. */
const silentAfterMs = 20_000

/** A worker does jobs now: by the database's clock, because the sandbox may move the product's by months. */
export async function recordHeartbeat(db: Kysely<DB>): Promise<void> {
  await sql`
    INSERT INTO cursors (name, position, completed_at, revision) VALUES ('worker', '{}', clock_timestamp(), 1)
    ON CONFLICT (name) DO UPDATE SET completed_at = excluded.completed_at`.execute(db)
}

/** When a worker did its last job, by the caller's clock, and whether that is too long ago. */
export async function findHeartbeat(db: Kysely<DB>, now: Date) {
  const { rows } = await sql<{ age_ms: number }>`
    SELECT (extract(epoch FROM clock_timestamp() - completed_at) * 1000)::bigint AS age_ms
    FROM cursors WHERE name = 'worker'`.execute(db)
  const age_ms = rows[0]?.age_ms ?? Number.POSITIVE_INFINITY
  const heard_at = rows[0] ? new Date(now.getTime() - age_ms).toISOString() : null
  return { heard_at, is_silent: age_ms > silentAfterMs }
}

export interface CursorMove {
  /** The revision that was read, 0 when there was no cursor. */
  readonly from_revision: number
  readonly position: Json
  /** When the pass began that is complete with this move; null when it goes on. */
  readonly completed_at: Date | null
}

/**
 * Moves a cursor. Returns its new revision; null when another process has moved it meanwhile, and nothing was
 * changed.
 */
export async function moveCursor(
  db: Kysely<DB>,
  name: CursorName,
  { from_revision, position, completed_at }: CursorMove,
): Promise<number | null> {
  const moved = await db
    .insertInto('cursors')
    .values({ name, position: JSON.stringify(position), completed_at, revision: from_revision + 1 })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({
          position: sql`excluded.position`,
          completed_at: sql`coalesce(excluded.completed_at, cursors.completed_at)`,
          revision: sql`excluded.revision`,
        })
        .where('cursors.revision', '=', from_revision),
    )
    .returning('revision')
    .executeTakeFirst()
  return moved?.revision ?? null
}
