import type { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { listSeats } from '../../schema/seats/seats.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Handler } from '../mount.ts'
import { requireMembership } from '../organizations/membership.ts'
import { presentSeats } from '../presenters/seat.ts'

/** Members learn how many seats there are and which is theirs; the addresses of the others are for admins. */
export const handleGetOrganizationSeats: Handler<typeof getOrganizationSeats> = async (
  { query, user_id },
  deps,
) => {
  const { role } = await requireMembership(deps, { organization_id: query.org_id, user_id })
  const owner = { owner_kind: 'organization', owner_id: query.org_id } as const
  const [subscription, seats] = await Promise.all([
    findLiveSubscription(deps.db, owner),
    listSeats(deps.db, query.org_id),
  ])
  const summary = presentSeats(seats, {
    seats_total: subscription?.seats_total ?? 0,
    viewer: role === 'admin' ? null : user_id,
  })
  return { ...summary, data: summary }
}
