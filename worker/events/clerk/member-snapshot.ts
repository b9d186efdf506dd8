import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import type { MembershipSnapshot } from '../../../schema/people/members/members.ts'
import type { MemberKey } from '../../../schema/vendors/clerk/memberships.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

export interface MemberSnapshot extends MembershipSnapshot {
  /** Verified ones, lower case; empty for a user who is not a member. */
  readonly emails: readonly string[]
}

/** Fetches whether a user is a member of an organization now. */
export async function fetchMember(
  deps: Pick<WorkerDependencies, 'db' | 'clerk'>,
  key: MemberKey,
): Promise<MemberSnapshot> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const membership = await deps.clerk.findMembership(key)
  const emails = membership ? await deps.clerk.listEmailAddresses(key.user_id) : []
  return { ...key, snapshot_order, role: membership?.role ?? null, emails }
}
