import { randomUUID } from 'node:crypto'
import type { Subscription } from '../../billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ClerkInvitation } from '../../vendors/clerk/invitations.ts'
import { countHeldSeats, findHeldSeat } from '../seats/seats.ts'
import { type Invitation, reserveInvitation } from './invitations.ts'

/** Why an invitation that was sent from Clerk's own settings holds no seat. */
type NotAdopted = 'no_subscription' | 'no_free_seat' | 'address_has_seat'

/**
 * Reserves a seat for an invitation that was sent from Clerk's own settings, as for one of ours. Clerk has
 * sent it, so it cannot be refused any more: without a free seat it stays open, and an admin sees that it has
 * none (decision 041). The caller has locked the live subscription and found that the invitation is none of
 * ours.
 */
export async function adoptInvitation(
  trx: DatabaseTransaction,
  subscription: Subscription | undefined,
  { organization_id, clerk_invitation_id, email, role, expires_at }: ClerkInvitation,
): Promise<Invitation | NotAdopted> {
  if (!subscription) return 'no_subscription'
  if (await findHeldSeat(trx, organization_id, { email })) return 'address_has_seat'
  if ((await countHeldSeats(trx, organization_id)) >= subscription.seats_total) return 'no_free_seat'
  return reserveInvitation(trx, {
    id: randomUUID(),
    organization_id,
    subscription_id: subscription.stripe_subscription_id,
    inviter_id: null,
    email,
    role,
    expires_at,
    next_try_at: expires_at,
    clerk_invitation_id,
  })
}
