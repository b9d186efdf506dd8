import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { type MembershipSnapshot, recordMembership } from '../../schema/people/members/members.ts'
import { updateSeat } from '../../schema/people/members/update-seat.ts'
import {
  countHeldSeats,
  findHeldSeat,
  insertSeat,
  type Seat,
  type SeatRole,
} from '../../schema/people/seats/seats.ts'
import { refreshPlanType } from '../../schema/people/users/plan-type.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyHasSeat, membershipChanged, refusal } from '../errors.ts'
import { lockSeats } from './lock-seats.ts'

export interface SeatReceiver extends MembershipSnapshot {
  /** The verified address that the seat is given to. */
  readonly email: string
}

/**
 * Gives a member a seat at once: the one that they have, or the one reserved for them, or a free one. A newer
 * snapshot from Clerk in which the person has left wins over the caller's.
 */
export async function giveSeat(deps: Pick<Dependencies, 'db'>, receiver: SeatReceiver): Promise<Seat> {
  const seat = await retryTransaction(deps.db, async (trx) => {
    const { seats_total } = await lockSeats(trx, receiver.organization_id)
    const role = await recordMembership(trx, receiver)
    if (role === null) return null
    const updated = await updateSeat(trx, { ...receiver, role, emails: [receiver.email] })
    const given = updated ?? (await assignFreeSeat(trx, { ...receiver, role, seats_total }))
    await refreshPlanType(trx, [receiver.user_id])
    return given
  })
  if (!seat) throw membershipChanged()
  return seat
}

async function assignFreeSeat(
  trx: DatabaseTransaction,
  wanted: SeatReceiver & { readonly role: SeatRole; readonly seats_total: number },
): Promise<Seat> {
  const { organization_id, user_id, email, role } = wanted
  // It belongs to another member, who has since changed their address.
  if (await findHeldSeat(trx, organization_id, { email })) throw alreadyHasSeat(email)
  if ((await countHeldSeats(trx, organization_id)) >= wanted.seats_total) throw refusal('no_seats_left')
  return insertSeat(trx, { organization_id, user_id, email, role })
}
