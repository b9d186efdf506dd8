import { isDeleted } from '../../../schema/people/owners/deleted-owners.ts'
import { endSubscription } from '../../../schema/vendors/stripe/end-subscription.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError } from '../../errors.ts'

/**
 * Ends a subscription at Stripe whose owner was deleted at Clerk, and says whether it did.
 */
export async function endIfOwnerIsGone(
  deps: Pick<WorkerDependencies, 'db' | 'clerk' | 'stripe'>,
  owner_id: string,
  subscriptionId: string,
): Promise<boolean> {
  if (!(await isOwnerGone(deps, owner_id))) return false
  await endSubscription(deps.stripe, subscriptionId, 'Its owner was deleted at Clerk')
  return true
}

/**
 * Whether an owner was deleted at Clerk. Two things have to say so: a signed event, and Clerk, which answers
 * with 404. Neither is enough: with a key of another instance Clerk has none.
 */
export async function isOwnerGone(
  { db, clerk }: Pick<WorkerDependencies, 'db' | 'clerk'>,
  owner_id: string,
): Promise<boolean> {
  if (!(await isDeleted(db, owner_id))) return false
  if (await clerk.isGone(owner_id)) return true
  throw new NotYetError('has_state', { what: 'owner', state: 'still_at_clerk' })
}
