import { type MembershipLook, nextLookOrder } from '../../../schema/clerk/looks.ts'
import type { MemberKey } from '../../../schema/clerk/memberships.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

export interface MemberLook extends MembershipLook {
  /** Verified ones, lower case; none for somebody who is no member. */
  readonly emails: readonly string[]
}

/** Asks Clerk how somebody stands to an organization now. */
export async function lookAtMember(
  deps: Pick<WorkerDependencies, 'db' | 'clerk'>,
  key: MemberKey,
): Promise<MemberLook> {
  const look_order = await nextLookOrder(deps.db)
  const membership = await deps.clerk.findMembership(key)
  const emails = membership ? await deps.clerk.listEmailAddresses(key.user_id) : []
  return { ...key, look_order, role: membership?.role ?? null, emails }
}
