import { type ClerkEvent, clerkMembershipSchema } from '../../../schema/clerk/events.ts'
import { refreshPlanType } from '../../../schema/seats/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../apply-event.ts'
import { lookAtMember } from './member-look.ts'
import { lockSeats, settleLook } from './settle-look.ts'

/**
 * Somebody joined, left, or changed their role: a promised seat becomes theirs, a role follows, a seat ends. Who joins without
 * having been promised a seat gets none, because seats cost money and an admin decides who has one.
 */
export async function planMembership(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const { organization, public_user_data } = clerkMembershipSchema.parse(event.data)
  const { user_id } = public_user_data
  const look = await lookAtMember(deps, { organization_id: organization.id, user_id })
  return async (trx) => {
    await lockSeats(trx, organization.id)
    await settleLook(trx, look)
    await refreshPlanType(trx, [user_id])
    return { state: 'applied', reason: null }
  }
}
