import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sendTeamInvitation } from '../../../schema/api/team-invitations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { failureText, hasCode } from '../../api/failure.ts'
import { formatTime } from '../../components/format.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { RoleSwitch } from './dialogs.tsx'
import { hasNoSeats, type SeatRequest, useAssignSeat, useSeatsChanged } from './seats.ts'

const noSeatsText = 'No available seats. Upgrade your subscription to add more members.'

interface InviteCardProps {
  payer: PayerView
  full: boolean
  onBuy: () => void
}

export function InviteCard({ payer, full, onBuy }: InviteCardProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<SeatRequest['role']>('member')
  const invite = useInvite(payer, () => setEmail(''))
  const assign = useAssignSeat(payer, {
    onAssigned: () => {
      setEmail('')
      invite.reset()
    },
    onNoSeats: onBuy,
  })
  const busy = invite.isPending || assign.isPending

  function submit(event: FormEvent) {
    event.preventDefault()
    if (email.trim() === '') return
    invite.mutate({ email, role })
  }

  return (
    <Card aria-labelledby="invite-title">
      <CardHeader
        id="invite-title"
        title="Invite by email"
        description="The invitation holds a seat until it is accepted or revoked"
      />
      <div className="space-y-4 px-5 pt-4 pb-5 sm:px-6">
        {full ? (
          <Alert tone="caution" title="Cannot Send Invitation">
            <p>{noSeatsText}</p>
            <Button variant="secondary" size="small" className="mt-3" onClick={onBuy}>
              Buy Additional Seats
            </Button>
          </Alert>
        ) : (
          <form noValidate onSubmit={submit}>
            <Field
              label="Email address"
              type="email"
              autoComplete="off"
              placeholder="name@example.com"
              value={email}
              disabled={busy}
              onChange={({ target }) => {
                setEmail(target.value)
                // The message concerned the previous address.
                if (invite.isError) invite.reset()
              }}
            />
            <div className="flex flex-wrap items-center justify-between gap-3">
              <RoleSwitch value={role} onChange={setRole} />
              <Button type="submit" busy={invite.isPending} disabled={busy || email.trim() === ''}>
                Send Invite
              </Button>
            </div>
          </form>
        )}
        {invite.isSuccess && <Sent {...invite.data} />}
        {invite.isError && !hasNoSeats(invite.error) && (
          <Alert tone="critical">
            {hasCode(invite.error, 'already_member') ? (
              <>
                <p>{invite.variables.email.trim()} is already a member of the organization.</p>
                <Button
                  variant="secondary"
                  size="small"
                  className="mt-2"
                  busy={assign.isPending}
                  disabled={busy}
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

function useInvite(payer: PayerView, onSent: () => void) {
  const api = useApi()
  const showChange = useSeatsChanged(payer)
  return useMutation({
    mutationFn: (person: SeatRequest) =>
      api(sendTeamInvitation, { body: { org_id: payer.payer, ...person } }),
    onSuccess: onSent,
    onError: (error) => {
      if (!hasNoSeats(error)) return
      // Not the server's text, which is the one of the page of a payment.
      toast.error('Cannot Send Invitation', { description: noSeatsText })
    },
    // Also after a refusal, which often means that the seats have changed elsewhere.
    onSettled: showChange,
  })
}
