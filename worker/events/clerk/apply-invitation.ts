import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import {
  acceptInvitation,
  attachInvitation,
  endInvitation,
  type Invitation,
} from '../../../schema/invitations/invitations.ts'
import { closeAcceptedSeat } from '../../../schema/seats/seats.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import { applyMember } from './apply-member.ts'
import type { InvitationSnapshot } from './invitation-snapshot.ts'

/**
 * Makes our invitation and the seat that it holds agree with Clerk; applying the same snapshot twice changes
 * nothing more. The caller has locked the seats, and the invitation after them.
 */
export async function applyInvitation(
  trx: DatabaseTransaction,
  invitation: Invitation,
  { found, status, member }: InvitationSnapshot,
  now: Date,
): Promise<void> {
  if (found) await attachInvitation(trx, { ...found, id: invitation.id, now })
  if (member) await applyMember(trx, member)
  if (status === 'accepted') {
    await acceptInvitation(trx, invitation.id)
    const { organization_id, id: invitation_id } = invitation
    await closeAcceptedSeat(trx, { organization_id, invitation_id, user_id: member?.user_id ?? null })
  } else if (status !== 'pending') await endInvitation(trx, { id: invitation.id, status })
  if (member) await refreshPlanType(trx, [member.user_id])
}
