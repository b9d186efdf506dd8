import type { OrganizationMembershipJSON } from '@clerk/backend'
import type { Clerk } from '../clerk.ts'
import type { OrganizationMembership } from '../entities/membership.ts'
import type { Organization } from '../entities/organization.ts'
import { roles } from '../entities/role.ts'
import type { User } from '../entities/user.ts'
import { backendOrganization, frontendOrganization } from './organization.ts'
import { publicUserData } from './user.ts'

/** A membership as the backend API and webhooks show it. */
export function backendMembership(
  clerk: Clerk,
  membership: OrganizationMembership,
): OrganizationMembershipJSON {
  const { organization, user } = bothSides(clerk, membership)
  return {
    ...commonFields(membership),
    private_metadata: membership.private_metadata,
    organization: backendOrganization(clerk, organization),
    public_user_data: publicUserData(clerk, user),
  }
}

export function frontendMembership(clerk: Clerk, membership: OrganizationMembership) {
  const { organization, user } = bothSides(clerk, membership)
  return {
    ...commonFields(membership),
    role_name: roles[membership.role].name,
    organization: frontendOrganization(clerk, organization),
    public_user_data: publicUserData(clerk, user),
  }
}

function bothSides(
  clerk: Clerk,
  membership: OrganizationMembership,
): { organization: Organization; user: User } {
  const organization = clerk.store.organizations.get(membership.organization_id)
  const user = clerk.store.users.get(membership.user_id)
  if (!organization || !user) throw new Error(`${membership.id} has lost its organization or its user`)
  return { organization, user }
}

function commonFields(membership: OrganizationMembership) {
  return {
    object: 'organization_membership' as const,
    id: membership.id,
    role: membership.role,
    permissions: roles[membership.role].permissions,
    public_metadata: membership.public_metadata,
    created_at: membership.created_at,
    updated_at: membership.updated_at,
  }
}
