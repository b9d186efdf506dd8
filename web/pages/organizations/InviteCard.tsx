import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { sendTeamInvitation } from '../../../schema/api/team-invitations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { ApiFailure, failureText } from '../../api/failure.ts'
import {
  type OrganizationView,
  organizationSeatsQuery,
  teamInvitationsQuery,
} from '../../api/organizations.ts'
import { formatTime } from '../../components/format.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { Segments } from '../../ui/Segments.tsx'

type Role = 'member' | 'admin'
const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const

interface InviteCardProps {
  view: OrganizationView
  /** No seat is free. */
  full: boolean
}

export function InviteCard({ view, full }: InviteCardProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const { invite, assign } = useInvitation(view, () => setEmail(''))
  const busy = invite.isPending || assign.isPending

  function submit(event: FormEvent) {
    event.preventDefault()
    if (email.trim() === '') return
    assign.reset()
    invite.mutate({ email, role })
  }

  return (
    <Card aria-labelledby="invite-title">
      <CardHeader
        id="invite-title"
        title="Invite by e-mail"
        description="The invitation holds a seat until it is accepted or revoked"
      />
      <div className="space-y-4 px-5 pt-4 pb-5 sm:px-6">
        {full ? (
          <p className="text-muted text-sm">
            Every seat is in use. Free one, or add seats on the billing page.
          </p>
        ) : (
          <form noValidate onSubmit={submit}>
            <Field
              label="E-mail address"
              type="email"
              autoComplete="off"
              placeholder="name@example.com"
              value={email}
              disabled={busy}
              onChange={({ target }) => {
                setEmail(target.value)
                // What was said is about the address that stood here.
                if (invite.isError) invite.reset()
              }}
            />
            <div className="flex flex-wrap items-center justify-between gap-3">
              <Segments label="Role" name="role" value={role} options={roles} onChange={setRole} />
              <Button type="submit" busy={invite.isPending} disabled={busy || email.trim() === ''}>
                Send Invite
              </Button>
            </div>
          </form>
        )}
        {assign.isSuccess && (
          <Alert tone="positive" title="Seat Assigned!">
            {assign.data.message}
          </Alert>
        )}
        {assign.isError && (
          <Alert tone="critical">{failureText(assign.error, 'Failed to assign seat')}</Alert>
        )}
        {assign.isIdle && invite.isSuccess && <Sent {...invite.data} />}
        {assign.isIdle && invite.isError && (
          <Alert tone="critical">
            {isMember(invite.error) ? (
              <>
                <p>{invite.variables.email.trim()} is already a member of the organization.</p>
                <Button
                  variant="secondary"
                  size="small"
                  className="mt-2"
                  onClick={() => assign.mutate(invite.variables)}
                >
                  Assign a seat
                </Button>
              </>
            ) : (
              failureText(invite.error, 'Failed to send invitation')
            )}
          </Alert>
        )}
      </div>
    </Card>
  )
}

/** Sent, or to be sent when the sign-in service takes invitations again. */
function Sent({ message, invitation }: { message: string; invitation: { sends_at: string | null } }) {
  if (!invitation.sends_at) return <Alert tone="positive">{message}</Alert>
  return (
    <Alert tone="caution" title={`Will be sent at ${formatTime(invitation.sends_at)}`}>
      {message}
    </Alert>
  )
}

function isMember(error: Error): boolean {
  return error instanceof ApiFailure && error.code === 'already_member'
}

/** Invites somebody; who is a member already needs no invitation and is assigned the seat. */
function useInvitation(view: OrganizationView, onDone: () => void) {
  const api = useApi()
  const queryClient = useQueryClient()
  const showChange = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: organizationSeatsQuery(api, view).queryKey }),
      queryClient.invalidateQueries({ queryKey: teamInvitationsQuery(api, view).queryKey }),
    ])
  const onSuccess = () => {
    onDone()
    return showChange()
  }
  // A refusal often means that the seats have changed elsewhere.
  const onError = () => void showChange()
  const bodyOf = (person: { email: string; role: Role }) => ({ org_id: view.organizationId, ...person })
  const invite = useMutation({
    mutationFn: (person: { email: string; role: Role }) => api(sendTeamInvitation, { body: bodyOf(person) }),
    onSuccess,
    onError,
  })
  const assign = useMutation({
    mutationFn: (person: { email: string; role: Role }) => api(assignSeat, { body: bodyOf(person) }),
    onSuccess,
    onError,
  })
  return { invite, assign }
}
