import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { revokeTeamInvitation, type TeamInvitation } from '../../../schema/api/team-invitations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import {
  type OrganizationView,
  organizationSeatsQuery,
  teamInvitationsQuery,
} from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatDay, formatTime } from '../../components/format.ts'
import { InvitationActions } from '../../components/InvitationActions.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'

export function InvitationsCard({ view }: { view: OrganizationView }) {
  return (
    <Card aria-labelledby="invitations-title">
      <CardHeader id="invitations-title" title="Pending invitations" />
      <Invitations view={view} />
    </Card>
  )
}

function Invitations({ view }: { view: OrganizationView }) {
  const list = useQuery(teamInvitationsQuery(useApi(), view))
  if (list.isPending) return <Skeleton className="m-5 h-12" />
  if (list.isLoadingError) {
    return (
      <FailurePanel
        title="Error"
        error={list.error}
        defaultText="Failed to load invitations"
        busy={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    )
  }
  const pending = list.data.invitations.filter(({ status }) => status === 'pending')
  if (pending.length === 0) {
    return <p className="px-5 pt-2 pb-5 text-muted text-sm sm:px-6">No pending invitations.</p>
  }
  return (
    <ul className="mt-3 divide-y divide-line border-t">
      {pending.map((invitation) => (
        <InvitationRow key={invitation.id} view={view} invitation={invitation} />
      ))}
    </ul>
  )
}

function InvitationRow({ view, invitation }: { view: OrganizationView; invitation: TeamInvitation }) {
  const { email, sends_at, expires_at } = invitation
  const api = useApi()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api(revokeTeamInvitation, { body: { id: invitation.id } }),
    onSuccess: ({ message }) => toast.success(message),
    onError: (error) =>
      toast.error('Error', { description: failureText(error, 'Failed to revoke invitation') }),
    // Also after a refusal, which says that the invitation was accepted or has ended.
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: organizationSeatsQuery(api, view).queryKey }),
        queryClient.invalidateQueries({ queryKey: teamInvitationsQuery(api, view).queryKey }),
      ]),
  })
  return (
    <li className="px-5 py-3 text-sm sm:px-6">
      <p className="truncate font-medium" title={email}>
        {email}
      </p>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-faint text-xs">
          {sends_at ? `Will be sent at ${formatTime(sends_at)}` : `Expires on ${formatDay(expires_at)}`}
        </p>
        <div className="-mr-3 flex">
          <InvitationActions
            invitation={invitation}
            revoking={revoke.isPending}
            onRevoke={() => revoke.mutate()}
            onOutcome={showOutcome}
          />
        </div>
      </div>
    </li>
  )
}

const showOutcome: ComponentProps<typeof InvitationActions>['onOutcome'] = ({ tone, text }) => {
  if (tone === 'positive') toast.success(text)
  else toast.error('Error', { description: text })
}
