import { type ClerkEvent, clerkIdSchema } from '../../../schema/clerk/events.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { deleteSignInsOf } from '../../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../../schema/extension/tokens.ts'
import { listOrganizationsOf } from '../../../schema/members/members.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { applyMember, lockSeats } from './apply-member.ts'
import { deleteOwner } from './delete-owner.ts'

/**
 * A user closed their account: their seats and the extension's tokens end, and so does a subscription of
 * their own at Stripe. Their row and their ledger stay, because books have to be kept; no money goes back,
 * because refunds are decided by people.
 */
export async function prepareUserDeletion(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const user_id = clerkIdSchema.parse(event.data).id
  const snapshot_order = await nextSnapshotOrder(deps.db)
  return async (trx) => {
    const reason = await deleteOwner(trx, { owner_kind: 'user', owner_id: user_id }, deps.now())
    for (const organization_id of await listOrganizationsOf(trx, user_id)) {
      await lockSeats(trx, organization_id)
      await applyMember(trx, { organization_id, user_id, snapshot_order, role: null, emails: [] })
    }
    // The sign-ins first: this waits for one that is being exchanged, so that its token is revoked with the
    // others.
    await deleteSignInsOf(trx, user_id)
    await revokeTokens(trx, { user_id, now: deps.now() })
    await refreshPlanType(trx, [user_id])
    return { state: 'applied', reason }
  }
}
