import { createHash } from 'node:crypto'
import type { OrganizationInvitationJSON, OrganizationJSON, OrganizationMembershipJSON } from '@clerk/backend'
import { invitationStatus, invitationUrl, pendingInvitations } from '../entities/membership.ts'
import { roles } from '../entities/role.ts'
import { primaryEmailAddress, userLabel } from '../entities/user.ts'
import type { Service } from '../service.ts'
import type { Organization, OrganizationInvitation, OrganizationMembership, User } from '../state.ts'

/** An organization as the backend API and webhooks show it. */
export function backendOrganization(
  service: Service,
  organization: Organization,
  { withMembersCount = false }: { withMembersCount?: boolean } = {},
): OrganizationJSON {
  return {
    ...commonFields(organization),
    private_metadata: organization.private_metadata,
    ...(organization.created_by ? { created_by: organization.created_by } : {}),
    ...(withMembersCount ? { members_count: membersCount(service, organization) } : {}),
  }
}

export function frontendOrganization(service: Service, organization: Organization) {
  return {
    ...commonFields(organization),
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

function commonFields(organization: Organization) {
  return {
    object: 'organization' as const,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(organization.id, organization.name),
    has_image: false,
    max_allowed_memberships: organization.max_allowed_memberships,
    admin_delete_enabled: organization.admin_delete_enabled,
    public_metadata: organization.public_metadata,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
  }
}

/** A membership as the backend API and webhooks show it. */
export function backendMembership(
  service: Service,
  membership: OrganizationMembership,
): OrganizationMembershipJSON {
  const { organization, user } = bothSides(service, membership)
  return {
    ...membershipFields(membership),
    private_metadata: membership.private_metadata,
    organization: backendOrganization(service, organization),
    public_user_data: publicUserData(user),
  }
}

export function frontendMembership(service: Service, membership: OrganizationMembership) {
  const { organization, user } = bothSides(service, membership)
  return {
    ...membershipFields(membership),
    role_name: roles[membership.role].name,
    organization: frontendOrganization(service, organization),
    public_user_data: publicUserData(user),
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

function membershipFields(membership: OrganizationMembership) {
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

/** An invitation as the backend API and webhooks show it. The link is included only while it works. */
export function backendInvitation(
  service: Service,
  invitation: OrganizationInvitation,
): OrganizationInvitationJSON {
  const inviter = service.store.users.get(invitation.inviter_user_id)
  return {
    ...frontendInvitation(service, invitation),
    private_metadata: invitation.private_metadata,
    url: invitationStatus(service, invitation) === 'pending' ? invitationUrl(service, invitation) : null,
    ...inviterFields(inviter && publicUserData(inviter)),
  }
}

/** The specification has them, the library's type does not. */
function inviterFields(inviter: ReturnType<typeof publicUserData> | undefined): object {
  if (!inviter) return { inviter_id: null, public_inviter_data: null }
  const { profile_image_url: _, ...shown } = inviter
  return { inviter_id: inviter.user_id, public_inviter_data: shown }
}

export function frontendInvitation(service: Service, invitation: OrganizationInvitation) {
  return {
    object: 'organization_invitation' as const,
    id: invitation.id,
    email_address: invitation.email_address,
    organization_id: invitation.organization_id,
    role: invitation.role,
    role_name: roles[invitation.role].name,
    status: invitationStatus(service, invitation),
    public_metadata: invitation.public_metadata,
    // Only the invited person gets the link, by mail.
    url: null,
    expires_at: invitation.expires_at,
    created_at: invitation.created_at,
    updated_at: invitation.updated_at,
  }
}

/** For the invited person: with the organization's public profile only. */
export function invitationForInvitee(service: Service, invitation: OrganizationInvitation) {
  const organization = service.store.organizations.get(invitation.organization_id)
  return {
    ...frontendInvitation(service, invitation),
    public_organization_data: organization ? publicOrganizationData(organization) : null,
  }
}

/** Root-relative, so that `img-src 'self'` allows it. The query changes with the name: cacheable for ever. */
export function imageUrl(id: string, label: string): string {
  const version = createHash('sha1').update(label).digest('hex').slice(0, 8)
  return `/__clerk/avatars/${id}.svg?v=${version}`
}

/** What other members of an organization see of a user. */
export function publicUserData(user: User) {
  return {
    first_name: user.first_name,
    last_name: user.last_name,
    image_url: imageUrl(user.id, userLabel(user)),
    profile_image_url: imageUrl(user.id, userLabel(user)),
    has_image: false,
    // Null by the specification of the backend API; the library's type does not say so.
    identifier: (primaryEmailAddress(user) || null) as string,
    user_id: user.id,
  }
}

/** The organization as non-members see it, for instance in an invitation. */
function publicOrganizationData(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(organization.id, organization.name),
    has_image: false,
  }
}
