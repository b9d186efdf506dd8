import type { assignSeat } from '../../schema/api/organization-seats.ts'
import type { Membership } from '../../schema/clerk/memberships.ts'
import { nextSnapshotOrder } from '../../schema/database/snapshot-order.ts'
import { findHeldSeat, type Seat, type SeatRole } from '../../schema/seats/seats.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import type { Dependencies } from '../dependencies.ts'
import { noSeatsLeft, otherSeatRole } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { orOrganizationFailure } from '../organizations/clerk-failure.ts'
import { giveSeat } from '../organizations/give-seat.ts'
import { invite } from '../organizations/invite.ts'
import { requireAdmin } from '../organizations/membership.ts'
import { presentSeat } from '../presenters/seat.ts'

const failure = 'Failed to assign seat'

/**
 * A member gets the seat at once; anybody else is promised one and invited. The role that was picked is what an invitation
 * brings. A member's own role is not touched: who may do what is changed in the organization's settings.
 */
export const handleAssignSeat: Handler<typeof assignSeat> = async ({ body, user_id, trace }, deps) => {
  const organization_id = body.org_id
  trace.note({ organization_id })
  await requireAdmin(deps, { organization_id, user_id }, { doing: 'assign seats' })
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const member = await orOrganizationFailure(
    failure,
    deps.clerk.findMemberByEmail({ organization_id, email: body.email }),
  )
  const seat = member
    ? await giveMemberSeat(deps, { member, snapshot_order, email: body.email, role: body.role })
    : await promiseSeat(deps, { organization_id, inviter_id: user_id, email: body.email, role: body.role })
  return {
    success: true,
    seat: presentSeat(seat),
    message:
      seat.status === 'active'
        ? `Seat assigned to ${seat.email}. They can now access the organization.`
        : `Invitation sent to ${seat.email}`,
  }
}

async function giveMemberSeat(
  deps: Dependencies,
  request: { member: Membership; snapshot_order: number; email: string; role: SeatRole },
): Promise<Seat> {
  const { organization_id, user_id } = request.member
  const existing = await findHeldSeat(deps.db, organization_id, { user_id })
  if (existing && existing.role !== request.role) throw otherSeatRole(existing)
  return giveSeat(deps, { ...request.member, snapshot_order: request.snapshot_order, email: request.email })
}

async function promiseSeat(
  deps: Dependencies,
  request: { organization_id: string; inviter_id: string; email: string; role: SeatRole },
): Promise<Seat> {
  // Invitations name their sender, who may not have been here before.
  await orOrganizationFailure(failure, findOrCreateAccount(deps, request.inviter_id))
  await invite(deps, request, {
    failure,
    refusalWhenFull: ({ held, seats_total }) => (held >= seats_total ? noSeatsLeft() : null),
    refusalOfPromised: (seat) => (seat.role === request.role ? null : otherSeatRole(seat)),
  })
  const seat = await findHeldSeat(deps.db, request.organization_id, { email: request.email })
  if (!seat) throw new Error(`The seat that was promised to ${request.email} is gone`)
  return seat
}
