import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { revokeTeamInvitation, type TeamInvitation } from '../../../../schema/api/team-invitations.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { subscriptionInvitationsQuery } from '../../../api/organizations.ts'
import { formatTime } from '../../../components/format.ts'
import { InvitationActions } from '../../../components/InvitationActions.tsx'
import { Badge } from '../../../ui/Badge.tsx'

export interface Outcome {
  tone: 'positive' | 'caution' | 'critical'
  text: string
}

interface InvitationListProps {
  subscriptionId: string
  invitations: readonly TeamInvitation[]
  onOutcome: (outcome: Outcome | null) => void
}

export function InvitationList({ subscriptionId, invitations, onOutcome }: InvitationListProps) {
  if (invitations.length === 0) return <p className="text-muted text-sm">No invitations yet.</p>
  return (
    <ul aria-label="Invitations" className="divide-y divide-line rounded-control border">
      {invitations.map((invitation) => (
        <InvitationRow
          key={invitation.id}
          subscriptionId={subscriptionId}
          invitation={invitation}
          onOutcome={onOutcome}
        />
      ))}
    </ul>
  )
}

interface InvitationRowProps extends Omit<InvitationListProps, 'invitations'> {
  invitation: TeamInvitation
}

function InvitationRow({ subscriptionId, invitation, onOutcome }: InvitationRowProps) {
  const { email, status, sends_at } = invitation
  const api = useApi()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api(revokeTeamInvitation, { body: { id: invitation.id } }),
    onSuccess: ({ message }) => onOutcome({ tone: 'positive', text: message }),
    onError: (error) =>
      onOutcome({ tone: 'critical', text: failureText(error, 'Failed to revoke invitation') }),
    // Also after a refusal, which says that it was accepted or has ended.
    onSettled: () => queryClient.invalidateQueries(subscriptionInvitationsQuery(api, subscriptionId)),
  })

  return (
    <li className="px-4 py-3 text-sm">
      <div className="flex items-center justify-between gap-3">
        <p className="truncate font-medium" title={email}>
          {email}
        </p>
        <InvitationBadge status={status} />
      </div>
      {sends_at && <p className="mt-0.5 text-faint text-xs">Will be sent at {formatTime(sends_at)}</p>}
      {status === 'pending' && (
        <div className="-ml-3 mt-1 flex">
          <InvitationActions
            invitation={invitation}
            revoking={revoke.isPending}
            onRevoke={() => {
              onOutcome(null)
              revoke.mutate()
            }}
            onOutcome={onOutcome}
          />
        </div>
      )}
    </li>
  )
}

const badges: Readonly<Record<string, readonly [ComponentProps<typeof Badge>['tone'], string]>> = {
  pending: ['caution', 'Pending'],
  accepted: ['positive', 'Accepted'],
  expired: ['neutral', 'Expired'],
  revoked: ['critical', 'Revoked'],
}

export function InvitationBadge({ status }: { status: string }) {
  const [tone, label] = badges[status] ?? ['neutral', 'Unknown']
  return <Badge tone={tone}>{label}</Badge>
}
