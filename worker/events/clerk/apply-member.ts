import { makeSubscriptionsDue } from '../../../schema/billing/subscriptions/snapshots.ts'
import {
  lockLiveSubscription,
  type Subscription,
} from '../../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { lacksAdmin, recordMembership } from '../../../schema/people/members/members.ts'
import { updateSeat } from '../../../schema/people/members/update-seat.ts'
import { refreshPlanType } from '../../../schema/people/users/plan-type.ts'
import type { MemberSnapshot } from './member-snapshot.ts'

/**
 * Every change of seats holds this lock, so that none is given twice. Without a live subscription none can be
 * given.
 */
export async function lockSeats(
  trx: DatabaseTransaction,
  owner_id: string,
): Promise<Subscription | undefined> {
  return lockLiveSubscription(trx, owner_id)
}

/**
 * Stores a snapshot of a membership and makes the person's seat agree with the newest one. The caller holds
 * the lock of the seats and refreshes plan types.
 */
export async function applyMember(trx: DatabaseTransaction, snapshot: MemberSnapshot): Promise<void> {
  const role = await recordMembership(trx, snapshot)
  await updateSeat(trx, { ...snapshot, role })
}

/**
 * The same with the lock and the plan types: a reserved seat becomes theirs, its role changes, or their seat
 * ends. A user who joins without a reserved seat gets none: seats cost money, and an admin decides who has
 * one. Where the buyer or the last admin is gone, and where there is an admin again, the subscription is due:
 * see `endWithoutAdmin`.
 */
export async function applyMembership(
  trx: DatabaseTransaction,
  snapshot: MemberSnapshot,
  now: Date,
): Promise<void> {
  const { organization_id: owner_id, user_id, role } = snapshot
  const live = await lockSeats(trx, owner_id)
  const lacked = await lacksAdmin(trx, owner_id)
  await applyMember(trx, snapshot)
  await refreshPlanType(trx, [user_id])
  const isGone = role === null && live?.user_id === user_id
  if (isGone || lacked || (await lacksAdmin(trx, owner_id)))
    await makeSubscriptionsDue(trx, { owner_id, now })
}
