import { sql } from 'kysely'
import { type ClerkEvent, clerkDeletionSchema } from '../../../schema/clerk/events.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { refreshPlanType } from '../../../schema/seats/plan-type.ts'
import { findLiveSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../apply-event.ts'
import { applyMember, lockSeats } from './apply-member.ts'

/**
 * Somebody closed their account: their seats and the extension's tokens end. Their row and their ledger stay, for books are
 * kept; so does a subscription of their own, about which support has to write to them.
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
    // First the sign-ins: one that is being exchanged is waited for, and its token is then revoked with the others.
    await trx.deleteFrom('extension_sign_ins').where('user_id', '=', user_id).execute()
    await trx
      .updateTable('extension_tokens')
      .set({ revoked_at: sql`now()` })
      .where('user_id', '=', user_id)
      .where('revoked_at', 'is', null)
      .execute()
    await refreshPlanType(trx, [user_id])
    const own = await findLiveSubscription(trx, { owner_kind: 'user', owner_id: user_id })
    return {
      state: 'applied',
      reason: own ? 'Their own subscription goes on until support ends it at Stripe' : null,
    }
  }
}

/** In one order for everybody, because each of them gets locked. */
async function listOrganizationsOf(trx: DatabaseTransaction, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('organization_members')
    .select('organization_id')
    .where('user_id', '=', userId)
    .union(
      trx
        .selectFrom('seats')
        .select('organization_id')
        .where('user_id', '=', userId)
        .where('status', '=', 'active'),
    )
    .orderBy('organization_id')
    .execute()
  return rows.map((row) => row.organization_id)
}
