import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { invalidTeamEmailText, teamEmailSchema } from '../../../../schema/api/team-email.ts'
import { sendTeamInvitation, type TeamInvitation } from '../../../../schema/api/team-invitations.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { subscriptionInvitationsQuery } from '../../../api/organizations.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { SeatBar } from '../../../components/Seats.tsx'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card, CardHeader } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { InvitationList, type Outcome } from './InvitationList.tsx'

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
        <InviteForm subscriptionId={subscriptionId} invitations={invitations} onOutcome={onOutcome} />
      ) : (
        <p className="text-muted text-sm">Maximum of {seats} team members allowed</p>
      )}
      <InvitationList subscriptionId={subscriptionId} invitations={invitations} onOutcome={onOutcome} />
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
