import { useMutation } from '@tanstack/react-query'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { revokeSeat } from '../../../schema/api/organization-seats.ts'
import { revokeTeamInvitation, type TeamInvitation } from '../../../schema/api/team-invitations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { OrganizationView } from '../../api/organizations.ts'
import { InvitationActions } from '../../components/InvitationActions.tsx'
import { toastFailure } from '../../components/toastFailure.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { useAssignSeat, useSeatsChanged } from './seats.ts'

interface PersonActionsProps {
  view: OrganizationView
  person: OrganizationPerson
  onNoSeats: () => void
}

export function PersonActions({ view, person, onNoSeats }: PersonActionsProps) {
  const { user_id, email, role, invitation } = person
  switch (actionFor(person)) {
    case 'assign':
      return email && <AssignSeat view={view} person={{ email, role }} onNoSeats={onNoSeats} />
    case 'revoke_seat':
      return user_id && <RevokeSeat view={view} userId={user_id} email={email ?? user_id} />
    case 'see_to_invitation':
      return invitation && <OpenInvitation view={view} invitation={invitation} />
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

function AssignSeat({ view, person, onNoSeats }: AssignSeatProps) {
  const assign = useAssignSeat(view, { onAssigned: () => undefined, onNoSeats })
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

function RevokeSeat({ view, userId, email }: { view: OrganizationView; userId: string; email: string }) {
  const api = useApi()
  const showChange = useSeatsChanged(view)
  const revoke = useMutation({
    mutationFn: () => api(revokeSeat, { body: { org_id: view.organizationId, user_id: userId } }),
    onSuccess: ({ message }) => {
      toast.success('Seat revoked', { description: message })
      return showChange()
    },
    onError: toastFailure('Failed to revoke seat'),
  })
  return (
    <ConfirmDialog
      trigger={
        <Button
          variant="quiet"
          size="small"
          aria-label={`Revoke the seat of ${email}`}
          busy={revoke.isPending}
        >
          Revoke
        </Button>
      }
      title="Revoke this seat?"
      text={`${email} stays a member of the organization but can no longer use its credits. The seat becomes free.`}
      confirm="Revoke seat"
      dismiss="Keep seat"
      onConfirm={() => revoke.mutate()}
    />
  )
}

function OpenInvitation({ view, invitation }: { view: OrganizationView; invitation: TeamInvitation }) {
  const api = useApi()
  const showChange = useSeatsChanged(view)
  const revoke = useMutation({
    mutationFn: () => api(revokeTeamInvitation, { body: { id: invitation.id } }),
    onSuccess: ({ message }) => toast.success(message),
    onError: toastFailure('Failed to revoke invitation'),
    // Also after a refusal, which says that the invitation was accepted or has ended.
    onSettled: showChange,
  })
  return (
    <InvitationActions
      invitation={invitation}
      revoking={revoke.isPending}
      onRevoke={() => revoke.mutate()}
      onOutcome={({ tone, text }) =>
        tone === 'positive' ? toast.success(text) : toast.error('Error', { description: text })
      }
    />
  )
}
