import type { revokeSeat } from '../../schema/api/organization-seats.ts'
import { revokeActiveSeat } from '../../schema/seats/seats.ts'
import { lockLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import { refreshPlanType } from '../../schema/users/plan-type.ts'
import { seatNotFound } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { requireAdmin } from '../organizations/membership.ts'
import { presentSeat } from '../presenters/seat.ts'

/** Ends a seat and nothing else: the person stays a member, and may be given one again. Also one's own, see decision 042. */
export const handleRevokeSeat: Handler<typeof revokeSeat> = async ({ body, user_id, trace }, deps) => {
  const organization_id = body.org_id
  trace.note({ organization_id })
  await requireAdmin(deps, { organization_id, user_id }, { doing: 'revoke seats' })
  const seat = await deps.db.transaction().execute(async (trx) => {
    // Seats of a subscription that has ended can be revoked too, so its absence does not matter here.
    await lockLiveSubscription(trx, { owner_kind: 'organization', owner_id: organization_id })
    const revoked = await revokeActiveSeat(trx, { organization_id, user_id: body.user_id })
    await refreshPlanType(trx, [body.user_id])
    return revoked
  })
  if (!seat) throw seatNotFound()
  return { success: true, seat: presentSeat(seat), message: `Seat of ${seat.email} has been revoked` }
}
