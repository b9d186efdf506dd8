import { randomUUID } from 'node:crypto'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import {
  countInvited,
  findInvitation,
  type Invitation,
  reserveInvitation,
} from '../../schema/invitations/invitations.ts'
import type { Occupancy } from '../../schema/invitations/occupancy.ts'
import { countHeldSeats, findHeldSeat, type Seat, type SeatRole } from '../../schema/seats/seats.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyHasSeat, type ServerError } from '../errors.ts'
import { lockSeats } from './lock-seats.ts'
import { sendInvitation } from './send-invitation.ts'

export interface InvitationRequest {
  readonly organization_id: string
  readonly inviter_id: string
  /** Lower case, of nobody who is a member. */
  readonly email: string
  readonly role: SeatRole
}

/** Where the two calls that invite people differ. */
export interface InvitationRules {
  /** Whether one more may be invited. */
  refusalWhenFull(occupancy: Occupancy): ServerError | null
  /** Whether a seat that is promised to the address already will do. */
  refusalOfPromised(seat: Seat): ServerError | null
}

/** A day less than people are told would be a lie, a day more a seat that nobody can use. */
const lifetimeDays = 30
const dayMs = 24 * 3600 * 1000

/**
 * Promises a seat to somebody and sends them a real invitation of Clerk's. The promise is committed before Clerk is called; when
 * Clerk does not send it, the seat is free again. Two requests for the last seat cannot both have it.
 */
export async function invite(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'settings' | 'now'>,
  request: InvitationRequest,
  rules: InvitationRules,
): Promise<Invitation> {
  const invitation = await deps.db.transaction().execute((trx) => reserve(trx, deps, request, rules))
  if (invitation.clerk_invitation_id) return invitation
  return sendInvitation(deps, invitation, { lifetime_days: lifetimeDays })
}

async function reserve(
  trx: DatabaseTransaction,
  deps: Pick<Dependencies, 'settings' | 'now'>,
  request: InvitationRequest,
  rules: InvitationRules,
): Promise<Invitation> {
  const { organization_id } = request
  const subscription = await lockSeats(trx, organization_id)
  const seat = await findHeldSeat(trx, organization_id, { email: request.email })
  if (seat) return findPromised(trx, seat, rules)
  const occupancy = {
    seats_total: subscription.seats_total,
    held: await countHeldSeats(trx, organization_id),
    invited: await countInvited(trx, organization_id),
  }
  const refusal = rules.refusalWhenFull(occupancy)
  if (refusal) throw refusal
  const now = deps.now().getTime()
  return reserveInvitation(trx, {
    id: randomUUID(),
    ...request,
    subscription_id: subscription.stripe_subscription_id,
    expires_at: new Date(now + lifetimeDays * dayMs),
    sweep_at: new Date(now + deps.settings.sweep_after_ms),
  })
}

/** The invitation behind a promised seat. One that was not sent yet, because somebody crashed there, is sent by this request. */
async function findPromised(
  trx: DatabaseTransaction,
  seat: Seat,
  rules: InvitationRules,
): Promise<Invitation> {
  const invitation = seat.invitation_id ? await findInvitation(trx, seat.invitation_id) : undefined
  if (seat.status !== 'pending' || !invitation) throw alreadyHasSeat(seat.email)
  const refusal = rules.refusalOfPromised(seat)
  if (refusal && invitation.clerk_invitation_id) throw refusal
  return invitation
}
