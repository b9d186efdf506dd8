import { type ClerkEvent, clerkMembershipSchema } from '../../../schema/clerk/events.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../apply-event.ts'
import { applyMember, lockSeats } from './apply-member.ts'
import { fetchMember } from './member-snapshot.ts'

/**
 * Somebody joined, left, or changed their role: a promised seat becomes theirs, its role changes, or their seat ends. Somebody
 * who joins without having been promised a seat gets none: seats cost money, and an admin decides who has one.
 */
export async function prepareMembership(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const { organization, public_user_data } = clerkMembershipSchema.parse(event.data)
  const { user_id } = public_user_data
  const snapshot = await fetchMember(deps, { organization_id: organization.id, user_id })
  return async (trx) => {
    await lockSeats(trx, organization.id)
    await applyMember(trx, snapshot)
    await refreshPlanType(trx, [user_id])
    return { state: 'applied', reason: null }
  }
}
