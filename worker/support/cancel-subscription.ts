import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { endSubscription } from '../../schema/vendors/stripe/end-subscription.ts'
import { isOver } from '../../schema/vendors/stripe/statuses.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { syncSubject } from '../events/sync-subject.ts'
import type { DoAct } from './act.ts'
import { fetchPlan } from './fetch-plan.ts'

/**
 * Ends a plan at Stripe that no customer can end: its owner is gone, or it is a second one that was never
 * applied. Everything else its owner cancels, in the billing portal. No money goes back: refunds are decided
 * by people.
 */
export const cancelSubscription: DoAct = async (deps, { target_id: id, requested_by, is_dry_run }) => {
  const over = await findObstacle(deps, id)
  if (over) return { note: over }
  if (is_dry_run) return { did: true }
  await endSubscription(deps.stripe, id, 'Cancelled by support')
  await syncSubject(deps, { of: 'subscription', id }, requested_by)
  return { did: true }
}

/** Why nothing is to be done; null when it is to be ended. Throws PermanentError when it must not be. */
async function findObstacle(deps: WorkerDependencies, id: string): Promise<string | null> {
  const plan = await fetchPlan(deps, id)
  const row = await findSubscription(deps.db, id)
  if (row && !(await deps.clerk.isGone(row.owner_id))) {
    throw new PermanentError(`${row.owner_id} exists, and cancels it in the billing portal`)
  }
  return isOver(plan) ? `It is ${plan.status} already` : null
}
