import { randomUUID } from 'node:crypto'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
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
  /** Lower case; not the address of a member. */
  readonly email: string
  readonly role: SeatRole
}

/** How the two calls that invite people differ. */
export interface InvitationRules {
  /** The error when no more people may be invited, else null. */
  refusalWhenFull(occupancy: Occupancy): ServerError | null
  /** The error when a seat is already promised to the address, or null when that seat is what the caller wants. */
  refusalOfPromised(seat: Seat): ServerError | null
}

/** The same at Clerk and in our row: people can accept for as long as the seat is held, and no longer. */
const lifetimeDays = 30
const dayMs = 24 * 3600 * 1000

/**
 * Promises a seat to a person and has Clerk send the invitation. The promise is committed before Clerk is called; when Clerk does
 * not send the invitation, the seat is free again. Two requests for the last seat cannot both get it.
 */
export async function invite(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'settings' | 'now'>,
  request: InvitationRequest,
  rules: InvitationRules,
): Promise<Invitation> {
  const invitation = await retryTransaction(deps.db, (trx) => reserve(trx, deps, request, rules))
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

/** The invitation of a promised seat. If an earlier request crashed before sending it, this request sends it. */
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
