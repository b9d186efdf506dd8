import type { OrganizationInvitationJSON } from '@clerk/backend'
import { invitationUrl } from '../entities/invitation.ts'
import { invitationStatus } from '../entities/invitation-status.ts'
import { roles } from '../entities/role.ts'
import type { Service } from '../service.ts'
import type { OrganizationInvitation } from '../state.ts'
import { publicOrganizationData, publicUserData } from './public.ts'

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
    ...inviterFields(inviter && publicUserData(service, inviter)),
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
    public_organization_data: organization ? publicOrganizationData(service, organization) : null,
  }
}
