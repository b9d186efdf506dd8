import { randomUUID } from 'node:crypto'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import {
  deliverInvitation,
  invitationLifetimeDays,
  isOrganizationFull,
  refusalCodeOf,
} from '../../schema/people/invitations/deliver-invitation.ts'
import {
  countInvited,
  endInvitation,
  findInvitation,
  type Invitation,
  type Occupancy,
  reserveInvitation,
} from '../../schema/people/invitations/invitations.ts'
import { countHeldSeats, findHeldSeat, type Seat, type SeatRole } from '../../schema/people/seats/seats.ts'
import { ClerkRefusalError } from '../../schema/vendors/clerk/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyHasSeat, alreadyMember, membershipChanged, refusal, type ServerError } from '../errors.ts'
import { lockSeats } from './lock-seats.ts'

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
  /** The error when a seat is already reserved for the address; null when that seat is the wanted one. */
  refusalOfReserved(seat: Seat): ServerError | null
}

const dayMs = 24 * 3600 * 1000

/**
 * Reserves a seat for a person and has Clerk send the invitation, or the worker later when Clerk's quota
 * requires it. The reservation is committed before Clerk is called; when Clerk does not send the invitation,
 * the seat is free again. Two requests for the last seat cannot both get it.
 */
export async function invite(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'settings' | 'now'>,
  request: InvitationRequest,
  rules: InvitationRules,
): Promise<Invitation> {
  const invitation = await retryTransaction(deps.db, (trx) => reserve(trx, deps, request, rules))
  return invitation.clerk_invitation_id || isWaiting(invitation, deps)
    ? invitation
    : deliver(deps, invitation)
}

/** The outcome as the requester of the invitation sees it. */
export function invitationMessage(
  { email, send_at }: Invitation,
  { now }: Pick<Dependencies, 'now'>,
): string {
  if (!send_at) return `Invitation sent to ${email}`
  const minutes = Math.max(1, Math.ceil((send_at.getTime() - now().getTime()) / 60_000))
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `Too many invitations were sent in a short time. The one to ${email} will be sent in about ${wait}.`
}

/** Clerk has asked for patience, so it is not asked again before the worker does. */
function isWaiting({ send_at }: Invitation, { now }: Pick<Dependencies, 'now'>): boolean {
  return send_at !== null && send_at > now()
}

/** On an error of Clerk's the seat is released; the claim finds an invitation whose answer was lost. */
async function deliver(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'settings' | 'now'>,
  invitation: Invitation,
): Promise<Invitation> {
  const delivered = await deliverInvitation({ ...deps, app_url: deps.settings.app_url }, invitation).catch(
    async (error: unknown) => {
      const refused = { id: invitation.id, status: 'revoked', refusal_code: refusalCodeOf(error) } as const
      await retryTransaction(deps.db, (trx) => endInvitation(trx, refused))
      throw refusalOf(error, invitation)
    },
  )
  if (delivered?.status === 'pending' || delivered?.status === 'accepted') return delivered
  throw membershipChanged()
}

/** Clerk's refusals of which the caller can make something. */
function refusalOf(error: unknown, { email }: Invitation): unknown {
  if (isOrganizationFull(error)) return refusal('organization_full', { cause: error })
  const isMember = error instanceof ClerkRefusalError && error.code === 'already_a_member_in_organization'
  // They have joined in the meantime.
  return isMember ? alreadyMember(email) : error
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
  if (seat) return findReserved(trx, seat, rules)
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
    expires_at: new Date(now + invitationLifetimeDays * dayMs),
    next_try_at: new Date(now + deps.settings.claim_after_ms),
  })
}

/** The invitation of a reserved seat; sends it if an earlier request crashed before that. */
async function findReserved(
  trx: DatabaseTransaction,
  seat: Seat,
  rules: InvitationRules,
): Promise<Invitation> {
  const invitation = seat.invitation_id ? await findInvitation(trx, seat.invitation_id) : undefined
  if (seat.status !== 'pending' || !invitation) throw alreadyHasSeat(seat.email)
  const refusal = rules.refusalOfReserved(seat)
  if (refusal && (invitation.clerk_invitation_id || invitation.send_at)) throw refusal
  return invitation
}
