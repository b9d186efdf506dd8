import { type ClerkEvent, clerkInvitationSchema } from '../../../schema/clerk/events.ts'
import { adoptInvitation, type NotAdopted } from '../../../schema/invitations/adopt-invitation.ts'
import { lockInvitationAtClerk } from '../../../schema/invitations/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { applyInvitation } from './apply-invitation.ts'
import { lockSeats } from './apply-member.ts'
import { fetchInvitation } from './invitation-snapshot.ts'

/**
 * An invitation was sent, accepted or revoked. One that was sent from Clerk's own settings takes a free seat
 * when its event is applied, also when it was accepted by then. One that was sent although we had given it up
 * is left to the claim, which revokes it.
 */
export async function prepareInvitation(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const { id, organization_id, user_id } = clerkInvitationSchema.parse(event.data)
  const acceptance = event.type === 'organizationInvitation.accepted' ? { user_id: user_id ?? null } : null
  const snapshot = await fetchInvitation(deps, { organization_id, clerk_invitation_id: id }, acceptance)
  const { found, status, member } = snapshot
  return async (trx) => {
    const subscription = await lockSeats(trx, organization_id)
    const key = { clerk_invitation_id: id, ours: found?.invitation_id ?? null }
    const invitation =
      (await lockInvitationAtClerk(trx, key)) ??
      // A person who has left since needs no seat.
      (found && (status === 'pending' || (status === 'accepted' && member !== null && member.role !== null))
        ? await adoptInvitation(trx, subscription, found)
        : 'over')
    if (typeof invitation === 'string') return { state: 'ignored', reason: withoutSeat[invitation] }
    await applyInvitation(trx, invitation, snapshot, deps.now())
    return { state: 'applied', reason: null }
  }
}

const sentAtClerk = 'It was sent from Clerk’s own settings, and'

const withoutSeat: Readonly<Record<NotAdopted | 'over', string>> = {
  over: 'It was not sent by us, and it has ended',
  no_subscription: `${sentAtClerk} the organization has no subscription yet`,
  no_free_seat: `${sentAtClerk} no seat is free for it`,
  address_has_seat: `${sentAtClerk} its address has a seat`,
}
