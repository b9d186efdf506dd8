import { sql } from 'kysely'
import { type ClerkEvent, clerkDeletionSchema } from '../../../schema/clerk/events.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { refreshPlanType } from '../../../schema/seats/plan-type.ts'
import { heldStatuses } from '../../../schema/seats/seats.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../apply-event.ts'
import { lockSeats } from './apply-member.ts'

/**
 * An organization was deleted: all its seats and invitations end. Its subscription and its pool of credits stay as they are:
 * money is given back by people, so the event says that support has something to do.
 */
export async function prepareOrganizationDeletion(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const organization_id = clerkDeletionSchema.parse(event.data).id
  const snapshot_order = await nextSnapshotOrder(deps.db)
  return async (trx) => {
    const isPaid = await lockSeats(trx, organization_id)
    await trx
      .updateTable('organization_members')
      .set({
        role: null,
        snapshot_order: sql`greatest(snapshot_order, ${snapshot_order})`,
        updated_at: sql`now()`,
      })
      .where('organization_id', '=', organization_id)
      .execute()
    await trx
      .updateTable('team_invitations')
      .set({ status: 'revoked', sweep_at: null, updated_at: sql`now()` })
      .where('organization_id', '=', organization_id)
      .where('status', '=', 'pending')
      .execute()
    const ended = await trx
      .updateTable('seats')
      .set({ status: 'revoked', updated_at: sql`now()` })
      .where('organization_id', '=', organization_id)
      .where('status', 'in', heldStatuses)
      .returning('user_id')
      .execute()
    await refreshPlanType(
      trx,
      ended.flatMap((seat) => seat.user_id ?? []),
    )
    return {
      state: 'applied',
      reason: isPaid ? 'Its subscription goes on until support ends it at Stripe' : null,
    }
  }
}
