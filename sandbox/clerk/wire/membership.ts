import type { OrganizationMembershipJSON } from '@clerk/backend'
import { roles } from '../entities/role.ts'
import type { Service } from '../service.ts'
import type { Organization, OrganizationMembership, User } from '../state.ts'
import { backendOrganization, frontendOrganization } from './organization.ts'
import { publicUserData } from './public.ts'

/** A membership as the backend API and webhooks show it. */
export function backendMembership(
  service: Service,
  membership: OrganizationMembership,
): OrganizationMembershipJSON {
  const { organization, user } = bothSides(service, membership)
  return {
    ...commonFields(membership),
    private_metadata: membership.private_metadata,
    organization: backendOrganization(service, organization),
    public_user_data: publicUserData(service, user),
  }
}

export function frontendMembership(service: Service, membership: OrganizationMembership) {
  const { organization, user } = bothSides(service, membership)
  return {
    ...commonFields(membership),
    role_name: roles[membership.role].name,
    organization: frontendOrganization(service, organization),
    public_user_data: publicUserData(service, user),
  }
}

function bothSides(
  service: Service,
  membership: OrganizationMembership,
): { organization: Organization; user: User } {
  const organization = service.store.organizations.get(membership.organization_id)
  const user = service.store.users.get(membership.user_id)
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
