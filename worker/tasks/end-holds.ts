import { makeUnusedRefundDue } from '../../schema/billing/subscriptions/replaced.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { endExpiredHolds, listOwnersOfOutlivingHolds } from '../../schema/ledger/post/holds.ts'
import { postPlanDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/**
 * Ends holds that have expired, and counts those that were resolved after their month to it, so that what
 * they left of it expires. What one run does not reach, the next one does.
 */
export async function endHolds({
  db,
  now,
}: Pick<WorkerDependencies, 'db' | 'now'>): Promise<{ ended: number; closed: number }> {
  const ended = await endExpiredHolds(db, now())
  const owners = await listOwnersOfOutlivingHolds(db)
  for (const owner_id of owners) {
    await retryTransaction(db, async (trx) => {
      await postPlanDifference(trx, owner_id, { event_id: null, actor: 'schedule', now: now() })
      await makeUnusedRefundDue(trx, owner_id, now())
    })
  }
  return { ended, closed: owners.length }
}
