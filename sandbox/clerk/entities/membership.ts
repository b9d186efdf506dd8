import type { Clerk } from '../clerk.ts'
import { ClerkError } from '../errors.ts'
import { backendMembership } from '../wire/membership.ts'
import { createId } from './id.ts'
import type { Metadata } from './metadata.ts'
import type { Organization } from './organization.ts'
import type { Role } from './role.ts'
import type { User } from './user.ts'

export type OrganizationMembership = {
  id: string
  organization_id: string
  user_id: string
  role: Role
  public_metadata: Metadata
  private_metadata: Metadata
  created_at: number
  updated_at: number
}

type Joining = { organization: Organization; user: User; role: Role; publicMetadata?: Metadata }

export function createMembership(clerk: Clerk, { organization, user, role, publicMetadata }: Joining) {
  if (findMembership(clerk, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${user.id} is already a member of the organization.`,
    })
  }
  const members = clerk.store.memberships.filter((row) => row.organization_id === organization.id)
  if (organization.max_allowed_memberships && members.length >= organization.max_allowed_memberships) {
    throw membershipQuotaExceeded(organization)
  }
  const now = Date.now()
  const membership = clerk.store.memberships.add({
    id: createId('orgmem'),
    organization_id: organization.id,
    user_id: user.id,
    role,
    public_metadata: publicMetadata ?? {},
    private_metadata: {},
    created_at: now,
    updated_at: now,
  })
  clerk.outbox.emit('organizationMembership.created', backendMembership(clerk, membership))
  return membership
}

/** Refuses to leave an organization without an admin. */
export function changeRole(clerk: Clerk, membership: OrganizationMembership, role: Role) {
  if (role !== 'org:admin') requireAnotherAdmin(clerk, membership)
  return updateMembership(clerk, membership, { role })
}

export function updateMembership(
  clerk: Clerk,
  membership: OrganizationMembership,
  changes: Partial<Pick<OrganizationMembership, 'role' | 'public_metadata' | 'private_metadata'>>,
): OrganizationMembership {
  Object.assign(membership, changes, { updated_at: Date.now() })
  clerk.outbox.emit('organizationMembership.updated', backendMembership(clerk, membership))
  return membership
}

/** Someone leaves or is removed. Refuses to leave an organization without an admin. */
export function removeMember(clerk: Clerk, membership: OrganizationMembership): void {
  requireAnotherAdmin(clerk, membership)
  const last = backendMembership(clerk, membership)
  clerk.store.memberships.delete(membership.id)
  for (const session of clerk.store.sessions.filter((row) => row.user_id === membership.user_id)) {
    if (session.last_active_organization_id === membership.organization_id)
      session.last_active_organization_id = null
  }
  clerk.outbox.emit('organizationMembership.deleted', last)
}

export function findMembership(
  clerk: Clerk,
  { organizationId, userId }: { organizationId: string; userId: string },
): OrganizationMembership | undefined {
  return clerk.store.memberships.find(
    (row) => row.organization_id === organizationId && row.user_id === userId,
  )
}

export function membershipQuotaExceeded(organization: Organization): ClerkError {
  return new ClerkError(403, {
    code: 'organization_membership_quota_exceeded',
    message: `You have reached your limit of ${organization.max_allowed_memberships} organization memberships, including outstanding invitations.`,
  })
}

function requireAnotherAdmin(clerk: Clerk, membership: OrganizationMembership): void {
  if (membership.role !== 'org:admin') return
  const another = clerk.store.memberships.find(
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
