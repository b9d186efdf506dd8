import { useMutation } from '@tanstack/react-query'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { revokeSeat } from '../../../schema/api/organization-seats.ts'
import type { TeamInvitation } from '../../../schema/api/team-invitations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { ConfirmButton } from '../../components/ConfirmButton.tsx'
import { InvitationActions } from '../../components/InvitationActions.tsx'
import { toastFailure } from '../../components/toastFailure.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { useAssignSeat, useSeatsChanged } from './seats.ts'

interface PersonActionsProps {
  payer: PayerView
  person: OrganizationPerson
  onNoSeats: () => void
}

export function PersonActions({ payer, person, onNoSeats }: PersonActionsProps) {
  const { user_id, email, role, invitation } = person
  switch (actionFor(person)) {
    case 'assign':
      return email && <AssignSeat payer={payer} person={{ email, role }} onNoSeats={onNoSeats} />
    case 'revoke_seat':
      return user_id && <RevokeSeat payer={payer} userId={user_id} email={email ?? user_id} />
    case 'see_to_invitation':
      return invitation && <OpenInvitation payer={payer} invitation={invitation} />
    case null:
      return null
  }
}

/** What an admin can do about a person's seat. Seats are assigned to addresses. */
export function actionFor({ user_id, email, seat, is_member, invitation }: OrganizationPerson) {
  if (invitation) return 'see_to_invitation'
  if (seat === 'active' && user_id) return 'revoke_seat'
  return email && (is_member || seat === null) ? 'assign' : null
}

interface AssignSeatProps extends Omit<PersonActionsProps, 'person'> {
  person: { email: string; role: OrganizationPerson['role'] }
}

function AssignSeat({ payer, person, onNoSeats }: AssignSeatProps) {
  const assign = useAssignSeat(payer, { onAssigned: () => undefined, onNoSeats })
  return (
    <Button
      variant="secondary"
      size="small"
      aria-label={`Assign seat to ${person.email}`}
      busy={assign.isPending}
      onClick={() => assign.mutate(person)}
    >
      Assign
    </Button>
  )
}

function RevokeSeat({ payer, userId, email }: { payer: PayerView; userId: string; email: string }) {
  const api = useApi()
  const showChange = useSeatsChanged(payer)
  const revoke = useMutation({
    mutationFn: () => api(revokeSeat, { body: { org_id: payer.payer, user_id: userId } }),
    onSuccess: ({ message }) => {
      toast.success('Seat revoked', { description: message })
      return showChange()
    },
    onError: toastFailure('Failed to revoke seat'),
  })
  return (
    <ConfirmButton
      label="Revoke"
      of={`the seat of ${email}`}
      variant="quiet"
      busy={revoke.isPending}
      title="Revoke this seat?"
      text={`${email} stays a member of the organization but can no longer use its credits. The seat becomes free.`}
      confirm="Revoke seat"
      dismiss="Keep seat"
      onConfirm={() => revoke.mutate()}
    />
  )
}

function OpenInvitation({ payer, invitation }: { payer: PayerView; invitation: TeamInvitation }) {
  return (
    <InvitationActions
      invitation={invitation}
      onSettled={useSeatsChanged(payer)}
      onOutcome={({ tone, text }) =>
        tone === 'positive' ? toast.success(text) : toast.error('Error', { description: text })
      }
    />
  )
}
