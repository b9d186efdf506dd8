import { failureOf } from '../../schema/api/failures.ts'
import type { Claimable, TryRecord } from '../../schema/inbox/claim/claimable.ts'
import { type FailedTry, recordError } from '../../schema/inbox/claim/failed-tries.ts'
import { recordFailedTry, type Try } from '../../schema/inbox/claim/record-try.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { type Consequence, consequenceOf, maximumAttempts, reasonOf } from '../failures.ts'

export interface TriedRow extends Pick<Try, 'key'> {
  readonly rows: Claimable<FailedTry['table_name']>
  /** As metrics and the log call it. */
  readonly what: 'event' | 'intent' | 'subscription' | 'invitation' | 'act'
  /** What the lines in the log about it name. */
  readonly ids: Readonly<Record<string, string>>
  /** Whom it is about: the subject of an event, the owner of everything else. */
  readonly subject: string | null
  /** As it was read when the try began. */
  readonly record: TryRecord
  /**
   * Whether the row itself was due. A try for a page that waits changes nothing of
   * its schedule and counts as no attempt.
   */
  readonly isScheduled: boolean
  /** Marks the row as failed, with the reason that a person reads. */
  giveUp(reason: string): Promise<void>
}

/**
 * Tries to process a row. When that fails, the row is told when to be tried next, or that it has failed for
 * good: nothing else tries again. Throws the failure all the same, so that the job fails too.
 */
export async function tryRow<T>(
  deps: Pick<WorkerDependencies, 'db' | 'log' | 'metrics' | 'now'>,
  row: TriedRow,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const consequence = consequenceOf(error, row.record, { now: deps.now(), random: Math.random })
    try {
      await record(deps, row, error, consequence)
    } catch (unrecorded) {
      // The database is unavailable: the row is due again when its claim runs out.
      deps.log.warn({ err: unrecorded, ...row.ids }, `The failure of the ${row.what} could not be recorded`)
    }
    throw error
  }
}

async function record(
  deps: Pick<WorkerDependencies, 'db' | 'log' | 'metrics' | 'now'>,
  row: TriedRow,
  error: unknown,
  consequence: Consequence,
): Promise<void> {
  const { what, rows, key, isScheduled } = row
  const { kind } = consequence
  deps.metrics.failedTries.inc({ what, kind })
  const log = deps.log.child({ ...row.ids, kind })
  const failed = { table_name: rows.table, row_id: rowIdOf(key), subject: row.subject, kind, at: deps.now() }
  if (consequence.next === 'give_up') {
    if (kind !== 'contradiction' && !isScheduled) return
    const reason = reasonOf(error)
    await recordError(deps.db, { ...failed, error: reason })
    const givenUp = { attempts: maximumAttempts, reason }
    await row.giveUp(kind === 'contradiction' ? reason : failureOf('given_up', givenUp))
    deps.metrics.givenUp.inc({ what })
    log.error({ err: error }, `The ${what} has failed and needs a person`)
    return
  }
  if (!isScheduled) return
  const now = deps.now()
  const next_try_at = new Date(now.getTime() + consequence.wait_ms)
  await recordError(deps.db, { ...failed, error: reasonOf(error) })
  await recordFailedTry(
    deps.db,
    { rows, key, claim: row.record.claims },
    {
      last_error: reasonOf(error),
      next_try_at,
      unavailable_at: kind === 'unavailable' ? now : null,
    },
  )
  const text = kind === 'unavailable' ? 'waits for a service that is unavailable' : 'could not be processed'
  log.warn({ err: error, next_try_at }, `The ${what} ${text}`)
}

/** The last column of a key names the row; the ids of events differ by their sender. */
function rowIdOf(key: Try['key']): string {
  return Object.values(key).at(-1) ?? ''
}
