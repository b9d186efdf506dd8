import type { OrganizationInvitationJSON } from '@clerk/backend'
import { invitationUrl } from '../entities/invitation.ts'
import { invitationStatus } from '../entities/invitation-status.ts'
import { roles } from '../entities/role.ts'
import type { Service } from '../service.ts'
import type { OrganizationInvitation } from '../state.ts'
import { publicOrganizationData } from './public.ts'

/** An invitation as the backend API and webhooks show it. The link is included only while it works. */
export function backendInvitation(
  service: Service,
  invitation: OrganizationInvitation,
): OrganizationInvitationJSON {
  const organization = service.store.organizations.get(invitation.organization_id)
  return {
    ...frontendInvitation(invitation),
    private_metadata: invitation.private_metadata,
    url: invitationStatus(invitation) === 'pending' ? invitationUrl(service, invitation) : null,
    expires_at: invitation.expires_at,
    public_organization_data: organization
      ? ({ object: 'organization', ...publicOrganizationData(service, organization) } as const)
      : null,
  }
}

export function frontendInvitation(invitation: OrganizationInvitation) {
  return {
    object: 'organization_invitation' as const,
    id: invitation.id,
    email_address: invitation.email_address,
    organization_id: invitation.organization_id,
    role: invitation.role,
    role_name: roles[invitation.role].name,
    status: invitationStatus(invitation),
    public_metadata: invitation.public_metadata,
    created_at: invitation.created_at,
    updated_at: invitation.updated_at,
  }
}

/** As the invited person sees it, who is not a member and so sees only the organization's public profile. */
export function invitationForInvitee(service: Service, invitation: OrganizationInvitation) {
  const organization = service.store.organizations.get(invitation.organization_id)
  return {
    ...frontendInvitation(invitation),
    public_organization_data: organization ? publicOrganizationData(service, organization) : null,
  }
}
