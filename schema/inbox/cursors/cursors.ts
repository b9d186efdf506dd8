import { type Kysely, type Selectable, sql } from 'kysely'
import type { Cursors, DB, Json } from '../../database/types.ts'

export type Cursor = Selectable<Cursors>
export type CursorName = Cursor['name']

/** Undefined before the first move. */
export async function findCursor(db: Kysely<DB>, name: CursorName): Promise<Cursor | undefined> {
  return db.selectFrom('cursors').selectAll().where('name', '=', name).executeTakeFirst()
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
