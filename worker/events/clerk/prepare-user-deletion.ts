import { type ClerkEvent, clerkDeletionSchema } from '../../../schema/clerk/events.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { deleteSignInsOf } from '../../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../../schema/extension/tokens.ts'
import { listOrganizationsOf } from '../../../schema/members/members.ts'
import { findLiveSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { applyMember, lockSeats } from './apply-member.ts'

/**
 * A user closed their account: their seats and the extension's tokens end. Their row and their ledger stay,
 * because books have to be kept; so does a subscription of their own, about which support has to write to
 * them.
 */
export async function prepareUserDeletion(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const user_id = clerkDeletionSchema.parse(event.data).id
  const snapshot_order = await nextSnapshotOrder(deps.db)
  return async (trx) => {
    for (const organization_id of await listOrganizationsOf(trx, user_id)) {
      await lockSeats(trx, organization_id)
      await applyMember(trx, { organization_id, user_id, snapshot_order, role: null, emails: [] })
    }
    // The sign-ins first: this waits for one that is being exchanged, so that its token is revoked with the
    // others.
    await deleteSignInsOf(trx, user_id)
    await revokeTokens(trx, { user_id, now: deps.now() })
    await refreshPlanType(trx, [user_id])
    const own = await findLiveSubscription(trx, { owner_kind: 'user', owner_id: user_id })
    return {
      state: 'applied',
      reason: own ? 'Their own subscription continues until support ends it at Stripe' : null,
    }
  }
}
