import { randomUUID } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { ReadDatabase } from '../../database/connect.ts'
import type { DB, ReconciliationRuns } from '../../database/types.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'

type Row = Selectable<ReconciliationRuns>

/** One comparison of everything, which may take many steps. */
export interface Run
  extends Pick<Row, 'id' | 'state' | 'requested_by' | 'requested_at' | 'revision' | 'findings' | 'error'> {
  readonly since: Date | null
  readonly until: Date | null
  readonly ended_at: Date | null
  readonly is_proven: boolean
  /** How many objects of each list were compared. */
  readonly compared: Readonly<Record<string, number>>
  readonly position: RunPosition | null
}

const positionSchema = z.object({
  comparison: z.string(),
  /** The last object of its list that was compared; null before the first. */
  after: z.string().nullable(),
})
type RunPosition = z.infer<typeof positionSchema>

const comparedSchema = z.record(z.string(), z.int())

function toRun(row: Row): Run {
  return {
    ...row,
    compared: comparedSchema.parse(row.compared),
    position: row.position === null ? null : positionSchema.parse(row.position),
  }
}

const unended = ['waiting', 'running'] as const

/** Asks for a run. While another one waits or runs, that one is returned. */
export async function requestRun(
  db: Kysely<DB>,
  { requested_by, now }: { readonly requested_by: string; readonly now: Date },
): Promise<Run> {
  const row = await db
    .insertInto('reconciliation_runs')
    .values({ id: randomUUID(), state: 'waiting', requested_by, requested_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) return toRun(row)
  return (await findUnendedRun(db)) ?? requestRun(db, { requested_by, now })
}

/** The run that waits or runs; there is one at most. */
export async function findUnendedRun(db: Kysely<DB>): Promise<Run | undefined> {
  const row = await db
    .selectFrom('reconciliation_runs')
    .selectAll()
    .where('state', 'in', unended)
    .where(inThisMode('reconciliation_runs'))
    .executeTakeFirst()
  return row && toRun(row)
}

export async function findRun(db: Kysely<DB>, id: string): Promise<Run | undefined> {
  const row = await db.selectFrom('reconciliation_runs').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRun(row)
}

/** The newest first. */
export async function listRuns(db: ReadDatabase, limit: number): Promise<Run[]> {
  const rows = await db
    .selectFrom('reconciliation_runs')
    .selectAll()
    .where(inThisMode('reconciliation_runs'))
    .orderBy('requested_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toRun)
}

/** Everything before this moment agreed when a run compared it; null before the first such run. */
export async function findProvenUntil(db: ReadDatabase): Promise<Date | null> {
  const row = await db
    .selectFrom('reconciliation_runs')
    .select('until')
    .where('is_proven', '=', true)
    .where(inThisMode('reconciliation_runs'))
    .orderBy('until', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.until ?? null
}

/**
 * Since when no run has ended well: when the last one did, else when the first one was asked for. Null before
 * any was.
 */
export async function findLastReconciled(db: Kysely<DB>): Promise<Date | null> {
  const { ended_at, requested_at } = await db
    .selectFrom('reconciliation_runs')
    .select(({ fn }) => [
      fn.max('ended_at').filterWhere('state', '=', 'done').as('ended_at'),
      fn.min('requested_at').as('requested_at'),
    ])
    .where(inThisMode('reconciliation_runs'))
    .executeTakeFirstOrThrow()
  return ended_at ?? requested_at
}

/** Undefined when another worker has moved the run; then nothing was changed, and the caller must roll back. */
export async function moveRun(
  db: Kysely<DB>,
  { id, revision }: Run,
  {
    position,
    compared,
    ...fields
  }: Partial<
    Pick<
      Run,
      'state' | 'since' | 'until' | 'is_proven' | 'error' | 'ended_at' | 'findings' | 'position' | 'compared'
    >
  >,
): Promise<Run | undefined> {
  const row = await db
    .updateTable('reconciliation_runs')
    .set({
      ...fields,
      ...(position !== undefined && { position: position && JSON.stringify(position) }),
      ...(compared && { compared: JSON.stringify(compared) }),
      revision: revision + 1,
    })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('state', 'in', unended)
    .returningAll()
    .executeTakeFirst()
  return row && toRun(row)
}

export async function deleteOldRuns(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('reconciliation_findings').where('gone_at', '<', before).execute()
  await db
    .deleteFrom('reconciliation_runs')
    .where('requested_at', '<', before)
    .where('state', 'not in', unended)
    .execute()
}
