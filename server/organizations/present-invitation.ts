import type { TeamInvitation } from '../../schema/api/team-invitations.ts'
import type { Invitation } from '../../schema/people/invitations/invitations.ts'
import type { Settings } from '../settings.ts'

/** Our link, which grants nothing itself. Clerk's own link signs its holder in, so it is only e-mailed. */
export function presentInvitation(
  settings: Pick<Settings, 'app_url'>,
  invitation: Invitation,
): TeamInvitation {
  const { organization_id, clerk_invitation_id, status } = invitation
  const isOpen = status === 'pending' && clerk_invitation_id !== null
  return {
    ...invitation,
    created_at: invitation.created_at.toISOString(),
    updated_at: invitation.updated_at.toISOString(),
    expires_at: invitation.expires_at.toISOString(),
    sends_at: invitation.send_at?.toISOString() ?? null,
    url: isOpen ? `${settings.app_url}/invite/${organization_id}/${clerk_invitation_id}` : null,
  }
}
