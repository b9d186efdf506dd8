import { useMutation } from '@tanstack/react-query'
import { revokeTeamInvitation, type TeamInvitation } from '../../schema/api/team-invitations.ts'
import { useApi } from '../api/ApiProvider.tsx'
import { failureText } from '../api/failure.ts'
import { Button } from '../ui/Button.tsx'

interface InvitationActionsProps {
  invitation: TeamInvitation
  onOutcome: (outcome: { tone: 'positive' | 'critical'; text: string }) => void
  /** After a refusal too, which says that the invitation was accepted or has ended. */
  onSettled: () => Promise<unknown>
}

export function InvitationActions({ invitation, onOutcome, onSettled }: InvitationActionsProps) {
  const { id, email, url } = invitation
  const api = useApi()
  const revoke = useMutation({
    mutationFn: () => api(revokeTeamInvitation, { body: { id } }),
    onSuccess: ({ message }) => onOutcome({ tone: 'positive', text: message }),
    onError: (error) =>
      onOutcome({ tone: 'critical', text: failureText(error, 'Failed to revoke invitation') }),
    onSettled,
  })

  async function copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link)
      onOutcome({ tone: 'positive', text: 'Invitation link copied to clipboard' })
    } catch {
      onOutcome({ tone: 'critical', text: 'The browser did not allow copying the link' })
    }
  }

  return (
    <div className="inline-flex @max-2xl:flex-col @max-2xl:items-end">
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
        busy={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Revoke
      </Button>
    </div>
  )
}
