import type { DatabaseTransaction } from '../../database/connect.ts'
import { acceptInvitation } from '../invitations/invitations.ts'
import {
  activateSeat,
  findHeldSeat,
  lockPendingSeat,
  revokeActiveSeat,
  type Seat,
  type SeatRole,
} from '../seats/seats.ts'

export interface Member {
  readonly organization_id: string
  readonly user_id: string
  /** Null when the person is no member; as `recordMembership` returned it in this transaction. */
  readonly role: SeatRole | null
  /** Verified ones, lower case. */
  readonly emails: readonly string[]
}

/**
 * Makes a person's seat agree with their membership, and returns the seat that they have afterwards. A member
 * gets the seat that was reserved for one of their addresses, and a seat's role is the membership's; a person
 * who is not a member has none. Without a reservation no seat is given. The caller has locked the
 * subscription, if there is one, and refreshes plan types afterwards.
 */
export async function updateSeat(trx: DatabaseTransaction, member: Member): Promise<Seat | undefined> {
  const { organization_id, user_id, role } = member
  if (role === null) {
    await revokeActiveSeat(trx, member)
    return undefined
  }
  const active = await findHeldSeat(trx, organization_id, { user_id })
  if (active) return active.role === role ? active : activateSeat(trx, { ...active, user_id, role })
  const pending = await lockPendingSeat(trx, member)
  if (!pending) return undefined
  if (pending.invitation_id) await acceptInvitation(trx, pending.invitation_id)
  return activateSeat(trx, { ...pending, user_id, role })
}
