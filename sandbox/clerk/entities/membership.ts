import { ClerkError } from '../errors.ts'
import type { Service } from '../service.ts'
import { createId, type Organization, type OrganizationMembership, type User } from '../state.ts'
import { emit } from './event.ts'
import type { Metadata } from './metadata.ts'
import type { Role } from './role.ts'
import { leaveOrganization } from './session.ts'

type Joining = { organization: Organization; user: User; role: Role; publicMetadata?: Metadata }

export function createMembership(service: Service, { organization, user, role, publicMetadata }: Joining) {
  if (findMembership(service, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${user.id} is already a member of the organization.`,
    })
  }
  const members = service.store.memberships.filter((row) => row.organization_id === organization.id)
  if (organization.max_allowed_memberships && members.length >= organization.max_allowed_memberships) {
    throw membershipQuotaExceeded(organization)
  }
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

/** Refuses to leave an organization without an admin. */
export function changeRole(service: Service, membership: OrganizationMembership, role: Role) {
  if (role !== 'org:admin') requireAnotherAdmin(service, membership)
  return updateMembership(service, membership, { role })
}

export function updateMembership(
  service: Service,
  membership: OrganizationMembership,
  changes: Partial<Pick<OrganizationMembership, 'role' | 'public_metadata' | 'private_metadata'>>,
): OrganizationMembership {
  const updated = service.store.memberships.put({ ...membership, ...changes, updated_at: Date.now() })
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

export function membershipQuotaExceeded(organization: Organization): ClerkError {
  return new ClerkError(403, {
    code: 'organization_membership_quota_exceeded',
    message: `You have reached your limit of ${organization.max_allowed_memberships} organization memberships, including outstanding invitations.`,
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
