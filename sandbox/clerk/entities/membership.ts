import { ClerkError } from '../errors.ts'
import type { Service } from '../service.ts'
import {
  createId,
  type Organization,
  type OrganizationInvitation,
  type OrganizationMembership,
  type User,
} from '../state.ts'
import { emit } from './event.ts'
import { pendingInvitations } from './invitation-status.ts'
import type { Metadata } from './metadata.ts'
import type { Role } from './role.ts'
import { leaveOrganization } from './session.ts'

type Joining = {
  organization: Organization
  user: User
  role: Role
  publicMetadata?: Metadata
  /** The invitation with which the user joins; its place becomes theirs. */
  accepting?: OrganizationInvitation
}

export function createMembership(
  service: Service,
  { organization, user, role, publicMetadata, accepting }: Joining,
) {
  if (findMembership(service, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${user.id} is already a member of the organization.`,
    })
  }
  requireRoom(service, organization, { adding: 1, ...(accepting && { accepting }) })
  const now = Date.now()
  const membership = service.store.memberships.put({
    id: createId('orgmem'),
    organization_id: organization.id,
    user_id: user.id,
    role,
    public_metadata: publicMetadata ?? {},
    private_metadata: {},
    created_at: now,
    updated_at: now,
  })
  emit(service, 'organizationMembership.created', membership)
  return membership
}

/**
 * Refuses to leave an organization without an admin, as Clerk's API does
 * (`organization_minimum_permissions_needed`, https://clerk.com/docs/errors/organizations).
 */
export function changeRole(service: Service, membership: OrganizationMembership, role: Role) {
  if (role !== 'org:admin') requireAnotherAdmin(service, membership)
  const updated = service.store.memberships.put({ ...membership, role, updated_at: Date.now() })
  emit(service, 'organizationMembership.updated', updated)
  return updated
}

/** A member leaves or is removed. Refuses to leave an organization without an admin. */
export function removeMember(service: Service, membership: OrganizationMembership): void {
  requireAnotherAdmin(service, membership)
  service.store.memberships.remove(membership.id)
  leaveOrganization(service, membership.organization_id, membership.user_id)
  emit(service, 'organizationMembership.deleted', membership)
}

export function findMembership(
  service: Service,
  { organizationId, userId }: { organizationId: string; userId: string },
): OrganizationMembership | undefined {
  return service.store.memberships.find(
    (row) => row.organization_id === organizationId && row.user_id === userId,
  )
}

/**
 * Members and open invitations count together, and 0 is no limit. The error is
 * OrganizationMembershipQuotaExceeded of https://clerk.com/docs/guides/development/errors/backend-api (read
 * on 2026-11-22).
 */
export function requireRoom(
  service: Service,
  organization: Organization,
  { adding, accepting }: { adding: number; accepting?: OrganizationInvitation },
): void {
  const { id, max_allowed_memberships: limit } = organization
  const members = service.store.memberships.filter((row) => row.organization_id === id).length
  const invited = pendingInvitations(service, organization).filter((row) => row.id !== accepting?.id).length
  if (limit === 0 || members + invited + adding <= limit) return
  throw new ClerkError(403, {
    code: 'organization_membership_quota_exceeded',
    message: 'organization membership quota exceeded',
    long_message: `You have reached your limit of ${limit} organization memberships, including outstanding invitations.`,
  })
}

function requireAnotherAdmin(service: Service, membership: OrganizationMembership): void {
  if (membership.role !== 'org:admin') return
  const another = service.store.memberships.find(
    (row) =>
      row.organization_id === membership.organization_id &&
      row.role === 'org:admin' &&
      row.id !== membership.id,
  )
  if (another) return
  throw new ClerkError(400, {
    code: 'organization_minimum_permissions_needed',
    message: 'There has to be at least one organization member with the minimum required permissions',
  })
}
