import type { ClerkClient } from '@clerk/backend'
import { findMemberByEmail, findMembership, type MemberKey, type Membership } from './memberships.ts'

/**
 * People and organizations as Clerk has them now. Every question goes to Clerk, nothing is cached: see decision 040. All throw
 * ClerkAwayError.
 */
export interface ClerkDirectory {
  /** Null when the person is not a member, or either of the two does not exist (any more). */
  findMembership(key: MemberKey): Promise<Membership | null>
  findMemberByEmail(key: { organization_id: string; email: string }): Promise<Membership | null>
}

export function createClerkDirectory(api: ClerkClient): ClerkDirectory {
  return {
    findMembership: (key) => findMembership(api, key),
    findMemberByEmail: (key) => findMemberByEmail(api, key),
  }
}
