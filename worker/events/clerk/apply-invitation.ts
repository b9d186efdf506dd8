import { failureOf } from '../../../schema/api/failures.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { adoptInvitation } from '../../../schema/people/invitations/adopt-invitation.ts'
import {
  acceptInvitation,
  attachInvitation,
  endInvitation,
  type Invitation,
  lockInvitationAtClerk,
} from '../../../schema/people/invitations/invitations.ts'
import { closeAcceptedSeat } from '../../../schema/people/seats/seats.ts'
import { refreshPlanType } from '../../../schema/people/users/plan-type.ts'
import type { InvitationKey } from '../../../schema/vendors/clerk/invitations.ts'
import type { Outcome } from '../outcome.ts'
import { applyMember, lockSeats } from './apply-member.ts'
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

/**
 * An invitation was sent, accepted or revoked. One that was sent from Clerk's own settings takes a free seat
 * when its event is applied, also when it was accepted by then. One that was sent although we had given it up
 * is left to the claim, which revokes it.
 */
export async function applyHeardInvitation(
  trx: DatabaseTransaction,
  heard: InvitationKey & { readonly snapshot: InvitationSnapshot },
  now: Date,
): Promise<Outcome> {
  const { organization_id, clerk_invitation_id, snapshot } = heard
  const { found, status, member } = snapshot
  const subscription = await lockSeats(trx, organization_id)
  const key = { clerk_invitation_id, ours: found?.invitation_id ?? null }
  const invitation =
    (await lockInvitationAtClerk(trx, key)) ??
    // A person who has left since needs no seat.
    (found && (status === 'pending' || (status === 'accepted' && member !== null && member.role !== null))
      ? await adoptInvitation(trx, subscription, found)
      : 'over')
  if (typeof invitation === 'string')
    return { state: 'ignored', reason: failureOf('not_adopted', { why: invitation }) }
  await applyInvitation(trx, invitation, snapshot, now)
  return { state: 'applied', reason: null }
}
