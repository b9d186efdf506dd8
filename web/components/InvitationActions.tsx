import type { TeamInvitation } from '../../schema/api/team-invitations.ts'
import { Button } from '../ui/Button.tsx'

interface InvitationActionsProps {
  invitation: TeamInvitation
  revoking: boolean
  onRevoke: () => void
  onOutcome: (outcome: { tone: 'positive' | 'critical'; text: string }) => void
}

export function InvitationActions({
  invitation: { email, url },
  revoking,
  onRevoke,
  onOutcome,
}: InvitationActionsProps) {
  async function copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link)
      onOutcome({ tone: 'positive', text: 'Invitation link copied to clipboard' })
    } catch {
      onOutcome({ tone: 'critical', text: 'The browser did not allow copying the link' })
    }
  }

  return (
    <>
      {url && (
        <Button
          variant="quiet"
          size="small"
          aria-label={`Copy the link for ${email}`}
          onClick={() => void copy(url)}
        >
          Copy link
        </Button>
      )}
      <Button
        variant="quiet"
        size="small"
        aria-label={`Revoke the invitation to ${email}`}
        busy={revoking}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </>
  )
}
