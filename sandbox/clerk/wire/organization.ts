import type { OrganizationJSON } from '@clerk/backend'
import type { Clerk } from '../clerk.ts'
import { pendingInvitations } from '../entities/invitation.ts'
import type { Organization } from '../entities/organization.ts'
import { hasImage, imageUrl } from './image.ts'

/** An organization as the backend API and webhooks show it. */
export function backendOrganization(
  clerk: Clerk,
  organization: Organization,
  { withMembersCount = false }: { withMembersCount?: boolean } = {},
): OrganizationJSON {
  return {
    ...commonFields(clerk, organization),
    private_metadata: organization.private_metadata,
    ...(organization.created_by ? { created_by: organization.created_by } : {}),
    ...(withMembersCount ? { members_count: membersCount(clerk, organization) } : {}),
  }
}

export function frontendOrganization(clerk: Clerk, organization: Organization) {
  return {
    ...commonFields(clerk, organization),
    members_count: membersCount(clerk, organization),
    pending_invitations_count: pendingInvitations(clerk, organization).length,
  }
}

/** What someone who is not a member yet gets to see, for instance in an invitation. */
export function publicOrganizationData(clerk: Clerk, organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(clerk, organization.id, organization.name),
    has_image: hasImage(clerk, organization.id),
  }
}

function membersCount(clerk: Clerk, organization: Organization): number {
  return clerk.store.memberships.filter((row) => row.organization_id === organization.id).length
}

function commonFields(clerk: Clerk, organization: Organization) {
  return {
    object: 'organization' as const,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(clerk, organization.id, organization.name),
    has_image: hasImage(clerk, organization.id),
    max_allowed_memberships: organization.max_allowed_memberships,
    admin_delete_enabled: organization.admin_delete_enabled,
    public_metadata: organization.public_metadata,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
  }
}
