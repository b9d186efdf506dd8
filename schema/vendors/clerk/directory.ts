import type { ClerkClient } from '@clerk/backend'
import {
  type ClerkInvitation,
  type ClerkInvitationRequest,
  findInvitation,
  type InvitationKey,
  listInvitations,
  revokeInvitation,
  sendInvitation,
} from './invitations.ts'
import {
  findMemberByEmail,
  findMembership,
  listEmailAddresses,
  listMembers,
  type MemberKey,
  type Membership,
} from './memberships.ts'
import { findRoom, type OrganizationRoom, setMembershipLimit } from './organizations.ts'
import { deleteUser, type Identity, identify, isGone, isSupportStaff } from './people.ts'

/**
 * People, memberships and invitations as Clerk has them now, uncached (decision 043). All calls throw
 * ClerkUnavailableError, writes also ClerkRefusalError.
 */
export interface ClerkDirectory {
  /** Null when the person is not a member, or either of the two does not exist (any more). */
  findMembership(key: MemberKey): Promise<Membership | null>
  /** The member with that address, primary or not. */
  findMemberByEmail(key: { organization_id: string; email: string }): Promise<Membership | null>
  /** All members of an organization; null when it does not exist (any more). */
  listMembers(organizationId: string): Promise<Membership[] | null>
  /** The verified addresses of a person, lower case; none when Clerk does not know them (any more). */
  listEmailAddresses(userId: string): Promise<string[]>
  sendInvitation(request: ClerkInvitationRequest): Promise<ClerkInvitation>
  findInvitation(key: InvitationKey): Promise<ClerkInvitation | null>
  listInvitations(organizationId: string, status?: ClerkInvitation['status']): Promise<ClerkInvitation[]>
  revokeInvitation(key: InvitationKey & { requesting_user_id?: string }): Promise<void>
  /** Null when the organization does not exist (any more). */
  findRoom(organizationId: string): Promise<OrganizationRoom | null>
  setMembershipLimit(change: { organization_id: string; limit: number }): Promise<void>
  /** Null when Clerk does not have the user or organization (any more). */
  identify(owner_id: string): Promise<Identity | null>
  /** Whether Clerk does not have the user or organization (any more): see `isGone`. */
  isGone(owner_id: string): Promise<boolean>
  /**
   * Whether the person is on the support staff: `role` is `support` in their public metadata, which only the
   * operator of the product can write, and they may sign in.
   */
  isSupportStaff(userId: string): Promise<boolean>
  /** Deletes the account with its sessions and memberships; no effect when Clerk does not know it. */
  deleteUser(userId: string): Promise<void>
}

export function createClerkDirectory(api: ClerkClient): ClerkDirectory {
  return {
    findMembership: (key) => findMembership(api, key),
    findMemberByEmail: (key) => findMemberByEmail(api, key),
    listMembers: (organizationId) => listMembers(api, organizationId),
    listEmailAddresses: (userId) => listEmailAddresses(api, userId),
    sendInvitation: (request) => sendInvitation(api, request),
    findInvitation: (key) => findInvitation(api, key),
    listInvitations: (organizationId, status) => listInvitations(api, organizationId, status),
    revokeInvitation: (key) => revokeInvitation(api, key),
    findRoom: (organizationId) => findRoom(api, organizationId),
    setMembershipLimit: (change) => setMembershipLimit(api, change),
    identify: (owner_id) => identify(api, owner_id),
    isGone: (owner_id) => isGone(api, owner_id),
    isSupportStaff: (userId) => isSupportStaff(api, userId),
    deleteUser: (userId) => deleteUser(api, userId),
  }
}
