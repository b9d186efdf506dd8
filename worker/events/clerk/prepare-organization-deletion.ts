import { type ClerkEvent, clerkDeletionSchema } from '../../../schema/clerk/events.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { revokeInvitationsOf } from '../../../schema/invitations/invitations.ts'
import { endMembershipsOf } from '../../../schema/members/members.ts'
import { endSeatsOf } from '../../../schema/seats/seats.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { lockSeats } from './apply-member.ts'

/**
 * An organization was deleted: all its seats and invitations end. Its subscription and its pool of credits
 * stay as they are, because refunds are decided by people; the event's reason is a hint for support.
 */
export async function prepareOrganizationDeletion(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const organization_id = clerkDeletionSchema.parse(event.data).id
  const snapshot_order = await nextSnapshotOrder(deps.db)
  return async (trx) => {
    const isPaid = await lockSeats(trx, organization_id)
    await endMembershipsOf(trx, { organization_id, snapshot_order })
    await revokeInvitationsOf(trx, organization_id)
    await refreshPlanType(trx, await endSeatsOf(trx, organization_id))
    return {
      state: 'applied',
      reason: isPaid ? 'Its subscription continues until support ends it at Stripe' : null,
    }
  }
}
