import type { TeamInvitation } from '../../schema/api/team-invitations.ts'
import type { Invitation } from '../../schema/invitations/invitations.ts'
import type { Settings } from '../settings.ts'

/**
 * The link is ours and opens nothing by itself: the page behind it asks the visitor to sign in with the invited address. Clerk's
 * own link would let whoever has it in as that person, so it is in the mail only.
 */
export function presentInvitation(
  settings: Pick<Settings, 'app_url'>,
  invitation: Invitation,
): TeamInvitation {
  const { organization_id, clerk_invitation_id, status } = invitation
  const isOpen = status === 'pending' && clerk_invitation_id !== null
  return {
    id: invitation.id,
    subscription_id: invitation.subscription_id,
    organization_id,
    inviter_id: invitation.inviter_id,
    email: invitation.email,
    role: invitation.role,
    clerk_invitation_id,
    status,
    created_at: invitation.created_at.toISOString(),
    updated_at: invitation.updated_at.toISOString(),
    expires_at: invitation.expires_at.toISOString(),
    url: isOpen ? `${settings.app_url}/invite/${organization_id}/${clerk_invitation_id}` : null,
  }
}
