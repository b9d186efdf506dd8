import { type ClerkEvent, clerkIdSchema } from '../../../schema/clerk/events.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { revokeInvitationsOf } from '../../../schema/invitations/invitations.ts'
import { endMembershipsOf } from '../../../schema/members/members.ts'
import { endSeatsOf } from '../../../schema/seats/seats.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { lockSeats } from './apply-member.ts'
import { deleteOwner } from './delete-owner.ts'

/**
 * An organization was deleted: all its seats and invitations end, and so does its subscription at Stripe. Its
 * pool of credits stays in the ledger, and no money goes back: refunds are decided by people.
 */
export async function prepareOrganizationDeletion(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const organization_id = clerkIdSchema.parse(event.data).id
  const snapshot_order = await nextSnapshotOrder(deps.db)
  return async (trx) => {
    const owner = { owner_kind: 'organization', owner_id: organization_id } as const
    const reason = await deleteOwner(trx, owner, deps.now())
    await lockSeats(trx, organization_id)
    await endMembershipsOf(trx, { organization_id, snapshot_order })
    await revokeInvitationsOf(trx, organization_id)
    await refreshPlanType(trx, await endSeatsOf(trx, organization_id))
    return { state: 'applied', reason }
  }
}
