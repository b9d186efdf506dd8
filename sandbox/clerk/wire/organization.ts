import type { OrganizationJSON } from '@clerk/backend'
import { pendingInvitations } from '../entities/invitation-status.ts'
import type { Service } from '../service.ts'
import type { Organization } from '../state.ts'
import { hasImage, imageUrl } from './public.ts'

/** An organization as the backend API and webhooks show it. */
export function backendOrganization(
  service: Service,
  organization: Organization,
  { withMembersCount = false }: { withMembersCount?: boolean } = {},
): OrganizationJSON {
  return {
    ...commonFields(service, organization),
    private_metadata: organization.private_metadata,
    ...(organization.created_by ? { created_by: organization.created_by } : {}),
    ...(withMembersCount ? { members_count: membersCount(service, organization) } : {}),
  }
}

export function frontendOrganization(service: Service, organization: Organization) {
  return {
    ...commonFields(service, organization),
    members_count: membersCount(service, organization),
    pending_invitations_count: pendingInvitations(service, organization).length,
  }
}

export function deletedOrganization({ id, slug }: Organization) {
  return { object: 'organization' as const, id, slug, deleted: true as const }
}

function membersCount(service: Service, organization: Organization): number {
  return service.store.memberships.filter((row) => row.organization_id === organization.id).length
}

function commonFields(service: Service, organization: Organization) {
  return {
    object: 'organization' as const,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(service, organization.id, organization.name),
    has_image: hasImage(service, organization.id),
    max_allowed_memberships: organization.max_allowed_memberships,
    admin_delete_enabled: organization.admin_delete_enabled,
    public_metadata: organization.public_metadata,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
  }
}
