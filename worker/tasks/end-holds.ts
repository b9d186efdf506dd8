import { retryTransaction } from '../../schema/database/retry.ts'
import { endExpiredHolds, listOwnersOfKeptMonths } from '../../schema/ledger/post/holds.ts'
import { postPlanDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/**
 * Ends holds that have expired, and closes the months that were kept open for holds of which none is left, so
 * that what remains of such a month expires. What one run does not reach, the next one does.
 */
export async function endHolds({
  db,
  now,
}: Pick<WorkerDependencies, 'db' | 'now'>): Promise<{ ended: number; closed: number }> {
  const ended = await endExpiredHolds(db, now())
  const owners = await listOwnersOfKeptMonths(db)
  for (const owner of owners) {
    await retryTransaction(db, (trx) =>
      postPlanDifference(trx, owner, { event_id: null, actor: 'schedule', now: now() }),
    )
  }
  return { ended, closed: owners.length }
}
