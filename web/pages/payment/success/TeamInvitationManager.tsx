import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, useEffect, useRef, useState } from 'react'
import { invalidTeamEmailText, teamEmailSchema } from '../../../../schema/api/team-email.ts'
import { sendTeamInvitation, type TeamInvitation } from '../../../../schema/api/team-invitations.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { subscriptionInvitationsQuery } from '../../../api/organizations.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatTime } from '../../../components/format.ts'
import { InvitationActions } from '../../../components/InvitationActions.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { SeatBar } from '../../../components/Seats.tsx'
import { Alert } from '../../../ui/Alert.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card, CardHeader } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'

interface TeamInvitationManagerProps {
  subscriptionId: string
  seats: number
  onClose: () => void
}

/** Fills the seats of a team that has just been bought. The buyer holds one of them. */
export function TeamInvitationManager({ subscriptionId, seats, onClose }: TeamInvitationManagerProps) {
  const list = useQuery(subscriptionInvitationsQuery(useApi(), subscriptionId))
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const card = useRef<HTMLElement>(null)
  // It appears below the fold.
  useEffect(() => card.current?.focus(), [])
  return (
    <Card
      ref={card}
      tabIndex={-1}
      aria-labelledby="team-title"
      className="mt-4 w-full max-w-md animate-rise outline-none"
    >
      <CardHeader id="team-title" title="Invite your team" />
      <div className="space-y-4 px-5 pt-3 pb-5 sm:px-6">
        {list.isPending ? (
          <Skeleton className="h-32" />
        ) : list.isLoadingError ? (
          <FailurePanel title="Error" query={list} defaultText="Failed to load invitations" />
        ) : (
          <Team
            subscriptionId={subscriptionId}
            invitations={list.data.invitations}
            seats={list.data.seats_total || seats}
            onOutcome={setOutcome}
          />
        )}
        {outcome && <Alert tone={outcome.tone}>{outcome.text}</Alert>}
        <div className="flex flex-col-reverse gap-2.5 border-t pt-4 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
          <RouteButton to="/dashboard">Go to Dashboard</RouteButton>
        </div>
      </div>
    </Card>
  )
}

interface TeamProps {
  subscriptionId: string
  invitations: readonly TeamInvitation[]
  seats: number
  onOutcome: (outcome: Outcome | null) => void
}

function Team({ subscriptionId, invitations, seats, onOutcome }: TeamProps) {
  const taken = invitations.filter(holdsSeat).length
  const left = Math.max(seats - 1 - taken, 0)
  return (
    <>
      <div>
        <p className="flex justify-between gap-4 text-muted text-sm tabular-nums">
          <span>
            {1 + taken} of {seats} seats used
          </span>
          <span>{left} left</span>
        </p>
        <div className="mt-2">
          <SeatBar used={1 + taken} total={seats} />
        </div>
      </div>
      {left > 0 ? (
        <InviteForm {...{ subscriptionId, invitations, onOutcome }} />
      ) : (
        <p className="text-muted text-sm">Maximum of {seats} team members allowed</p>
      )}
      {invitations.length === 0 ? (
        <p className="text-muted text-sm">No invitations yet.</p>
      ) : (
        <ul aria-label="Invitations" className="divide-y divide-line rounded-control border">
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} {...{ subscriptionId, invitation, onOutcome }} />
          ))}
        </ul>
      )}
    </>
  )
}

function holdsSeat({ status }: TeamInvitation): boolean {
  return status === 'pending' || status === 'accepted'
}

type InviteFormProps = Omit<TeamProps, 'seats'>

function InviteForm({ subscriptionId, invitations, onOutcome }: InviteFormProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const send = useMutation({
    mutationFn: () => api(sendTeamInvitation, { body: { subscription_id: subscriptionId, email } }),
    onSuccess: ({ message, invitation }) => {
      setEmail('')
      onOutcome({ tone: invitation.sends_at ? 'caution' : 'positive', text: message })
    },
    onError: (error) =>
      onOutcome({ tone: 'critical', text: failureText(error, 'Failed to send invitation') }),
    // Also after a refusal, which may mean that the seats were filled elsewhere.
    onSettled: () => queryClient.invalidateQueries(subscriptionInvitationsQuery(api, subscriptionId)),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (email.trim() === '') return
    onOutcome(null)
    const found = inviteProblem(email, invitations)
    setProblem(found)
    if (!found) send.mutate()
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-x-2.5 gap-y-1 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <Field
          label="Email address"
          type="email"
          autoComplete="off"
          placeholder="name@example.com"
          value={email}
          disabled={send.isPending}
          problem={problem}
          onChange={({ target }) => {
            setEmail(target.value)
            setProblem(null)
          }}
        />
      </div>
      <Button type="submit" size="large" className="sm:mt-[1.625rem]" busy={send.isPending}>
        Send Invite
      </Button>
    </form>
  )
}

function inviteProblem(email: string, invitations: readonly TeamInvitation[]): string | null {
  const parsed = teamEmailSchema.safeParse(email)
  if (!parsed.success) return invalidTeamEmailText
  const invited = invitations.some(
    (invitation) => invitation.status === 'pending' && invitation.email.toLowerCase() === parsed.data,
  )
  return invited ? 'This email has already been invited' : null
}

export interface Outcome {
  tone: 'positive' | 'caution' | 'critical'
  text: string
}

interface InvitationRowProps extends Omit<InviteFormProps, 'invitations'> {
  invitation: TeamInvitation
}

function InvitationRow({ subscriptionId, invitation, onOutcome }: InvitationRowProps) {
  const { email, status, sends_at } = invitation
  const api = useApi()
  const queryClient = useQueryClient()
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
            onOutcome={onOutcome}
            onSettled={() => queryClient.invalidateQueries(subscriptionInvitationsQuery(api, subscriptionId))}
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

function InvitationBadge({ status }: { status: string }) {
  const [tone, label] = badges[status] ?? ['neutral', 'Unknown']
  return <Badge tone={tone}>{label}</Badge>
}
