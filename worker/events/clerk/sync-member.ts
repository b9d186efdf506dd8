import type { MemberKey } from '../../../schema/clerk/memberships.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Seat } from '../../../schema/seats/seats.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { applyMember, lockSeats } from './apply-member.ts'
import { fetchMember } from './member-snapshot.ts'

/**
 * Asks Clerk about a person in an organization, and returns what follows; that returns the seat they have
 * then.
 */
export async function syncMember(
  deps: Pick<WorkerDependencies, 'db' | 'clerk'>,
  key: MemberKey,
): Promise<(trx: DatabaseTransaction) => Promise<Seat | undefined>> {
  const snapshot = await fetchMember(deps, key)
  return async (trx) => {
    await lockSeats(trx, key.organization_id)
    const seat = await applyMember(trx, snapshot)
    await refreshPlanType(trx, [key.user_id])
    return seat
  }
}
