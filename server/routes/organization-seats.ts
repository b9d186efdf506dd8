import {
  assignSeat,
  getOrganizationSeats,
  type Seat as PresentedSeat,
  revokeSeat,
  type SeatsSummary,
} from '../../schema/api/organization-seats.ts'
import {
  findLiveSubscription,
  lockLiveSubscription,
  type Subscription,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { nextSnapshotOrder } from '../../schema/database/snapshot-order.ts'
import {
  findHeldSeat,
  listSeats,
  revokeActiveSeat,
  type Seat,
  type SeatRole,
} from '../../schema/people/seats/seats.ts'
import { refreshPlanType } from '../../schema/people/users/plan-type.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import type { Dependencies } from '../dependencies.ts'
import { otherSeatRole, refusal } from '../errors.ts'
import { organizationFailure, rowsFailure } from '../failures.ts'
import { giveSeat } from '../organizations/give-seat.ts'
import { type InvitationRequest, invitationMessage, invite } from '../organizations/invite.ts'
import { admins, members } from '../rights.ts'
import { route } from '../route.ts'

export const organizationSeatsRoutes = [
  // Members see how many seats there are and their own; the addresses of the others are for admins only.
  route(getOrganizationSeats, {
    rights: members({ organization: ({ query }) => query.org_id }),
    failure: rowsFailure('Failed to load seat information'),
  }).handle(async ({ query, user_id, member }, deps) => {
    const [subscription, seats] = await Promise.all([
      findLiveSubscription(deps.db, query.org_id),
      listSeats(deps.db, query.org_id),
    ])
    const summary = presentSeats(seats, {
      seats_total: subscription?.seats_total ?? 0,
      scheduled: subscription ?? null,
      viewer: member.role === 'admin' ? null : user_id,
    })
    return { ...summary, data: summary }
  }),

  // A member gets the seat at once; for a non-member a seat is reserved and they are invited. The requested
  // role is that of the invitation. A member's role is changed in the organization's settings, not here.
  route(assignSeat, {
    rights: admins({ doing: 'assign seats', organization: ({ body }) => body.org_id }),
    failure: { ...organizationFailure('Failed to assign seat'), database: 'Failed to assign seat' },
  }).handle(async ({ body, user_id }, deps) => {
    const { org_id: organization_id, email, role } = body
    const snapshot_order = await nextSnapshotOrder(deps.db)
    const member = await deps.clerk.findMemberByEmail({ organization_id, email })
    if (member) {
      const seat = await giveMemberSeat(deps, { member, snapshot_order, email, role })
      const message = `Seat assigned to ${seat.email}. They can now access the organization.`
      return { success: true, seat: presentSeat(seat), message }
    }
    const reserved = await reserveSeat(deps, { organization_id, inviter_id: user_id, email, role })
    return { success: true, seat: presentSeat(reserved.seat), message: reserved.message }
  }),

  // Ends the seat; the membership stays. Admins may revoke their own seat (decision 043).
  route(revokeSeat, {
    rights: admins({ doing: 'revoke seats', organization: ({ body }) => body.org_id }),
    failure: rowsFailure('Failed to revoke seat'),
  }).handle(async ({ body }, deps) => {
    const { org_id: organization_id, user_id } = body
    const seat = await retryTransaction(deps.db, async (trx) => {
      // Seats of a subscription that has ended can be revoked too, so there need not be a live one.
      await lockLiveSubscription(trx, organization_id)
      const revoked = await revokeActiveSeat(trx, { organization_id, user_id })
      await refreshPlanType(trx, [user_id])
      return revoked
    })
    if (!seat) throw refusal('seat_not_found')
    return { success: true, seat: presentSeat(seat), message: `Seat of ${seat.email} has been revoked` }
  }),
]

async function giveMemberSeat(
  deps: Dependencies,
  request: { member: Membership; snapshot_order: number; email: string; role: SeatRole },
): Promise<Seat> {
  const { organization_id, user_id } = request.member
  const existing = await findHeldSeat(deps.db, organization_id, { user_id })
  if (existing && existing.role !== request.role) throw otherSeatRole(existing)
  return giveSeat(deps, { ...request.member, snapshot_order: request.snapshot_order, email: request.email })
}

async function reserveSeat(
  deps: Dependencies,
  request: InvitationRequest,
): Promise<{ seat: Seat; message: string }> {
  // Invitations reference the sender's row, which may not exist yet.
  await findOrCreateAccount(deps, request.inviter_id)
  const invitation = await invite(deps, request, {
    refusalWhenFull: ({ held, seats_total }) => (held >= seats_total ? refusal('no_seats_left') : null),
    refusalOfReserved: (seat) => (seat.role === request.role ? null : otherSeatRole(seat)),
  })
  const seat = await findHeldSeat(deps.db, request.organization_id, { email: request.email })
  if (!seat) throw new Error(`The seat reserved for ${request.email} is missing`)
  return { seat, message: invitationMessage(invitation, deps) }
}

function presentSeat(seat: Seat): PresentedSeat {
  return {
    user_id: seat.user_id,
    email: seat.email,
    role: seat.role,
    status: seat.status,
    assigned_at: seat.assigned_at.toISOString(),
    invitation_id: seat.invitation_id,
  }
}

/** Seats used and paid for, with a notice for admins. A `viewer` (member) sees only their own seat. */
function presentSeats(
  seats: readonly Seat[],
  options: {
    seats_total: number
    /** What waits for the next period. */
    scheduled: Pick<Subscription, 'scheduled_seats' | 'scheduled_at'> | null
    viewer: string | null
  },
): SeatsSummary {
  const seats_used = seats.filter(({ status }) => status === 'active' || status === 'pending').length
  const over_limit = seats_used > options.seats_total
  const visible = seats.filter((seat) => options.viewer === null || seat.user_id === options.viewer)
  return {
    seats_used,
    seats_total: options.seats_total,
    seats: visible.map(presentSeat),
    over_limit,
    notice: options.viewer === null ? noticeOf(seats_used, options) : null,
  }
}

function noticeOf(
  seats_used: number,
  { seats_total, scheduled }: Parameters<typeof presentSeats>[1],
): string | null {
  if (seats_used > seats_total) {
    return seats_total === 0
      ? 'The subscription has ended. Seats become usable again when you resubscribe.'
      : `${seats_used} seats are in use, but the subscription has ${seats_total}. Everyone keeps their seat, but to assign new ones you need to buy more seats or revoke some.`
  }
  if (!scheduled?.scheduled_at || scheduled.scheduled_seats === seats_total) return null
  const day = scheduled.scheduled_at.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  return `From ${day} the subscription has ${scheduled.scheduled_seats} seats. Until then you can keep all ${seats_total}.`
}
