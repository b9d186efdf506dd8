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
} from './memberships.ts'
import { findOccupancy, setMembershipLimit } from './organizations.ts'
import { deleteUser, identify, isGone, isSupportStaff, listSessions, revokeSession } from './people.ts'

export type ClerkDirectory = ReturnType<typeof createClerkDirectory>

/**
 * People, memberships and invitations as Clerk has them now, uncached: what a token says may be a minute old.
 * All calls throw ClerkUnavailableError, writes also ClerkRefusalError.
 */
export function createClerkDirectory(api: ClerkClient) {
  return {
    findMembership: (key: MemberKey) => findMembership(api, key),
    findMemberByEmail: (key: { organization_id: string; email: string }) => findMemberByEmail(api, key),
    listMembers: (organizationId: string) => listMembers(api, organizationId),
    listEmailAddresses: (userId: string) => listEmailAddresses(api, userId),
    sendInvitation: (request: ClerkInvitationRequest) => sendInvitation(api, request),
    findInvitation: (key: InvitationKey) => findInvitation(api, key),
    listInvitations: (organizationId: string, status?: ClerkInvitation['status']) =>
      listInvitations(api, organizationId, status),
    revokeInvitation: (key: InvitationKey & { requesting_user_id?: string }) => revokeInvitation(api, key),
    findOccupancy: (organizationId: string) => findOccupancy(api, organizationId),
    setMembershipLimit: (change: { organization_id: string; limit: number }) =>
      setMembershipLimit(api, change),
    identify: (owner_id: string) => identify(api, owner_id),
    isGone: (owner_id: string) => isGone(api, owner_id),
    isSupportStaff: (userId: string) => isSupportStaff(api, userId),
    listSessions: (userId: string) => listSessions(api, userId),
    revokeSession: (sessionId: string) => revokeSession(api, sessionId),
    deleteUser: (userId: string) => deleteUser(api, userId),
  }
}
