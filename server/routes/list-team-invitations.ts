import type { listTeamInvitations } from '../../schema/api/team-invitations.ts'
import { countInvited, listInvitations } from '../../schema/invitations/invitations.ts'
import { remainingInvitations } from '../../schema/invitations/occupancy.ts'
import { countHeldSeats } from '../../schema/seats/seats.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Handler } from '../mount.ts'
import { requireAdminOfNamed } from '../organizations/named-organization.ts'
import { presentInvitation } from '../presenters/invitation.ts'

export const handleListTeamInvitations: Handler<typeof listTeamInvitations> = async (
  { query, user_id },
  deps,
) => {
  const { organization_id } = await requireAdminOfNamed(
    deps,
    { ...query, user_id },
    { doing: 'see invitations' },
  )
  const owner = { owner_kind: 'organization', owner_id: organization_id } as const
  const [invitations, subscription, held, invited] = await Promise.all([
    listInvitations(
      deps.db,
      query.subscription_id === undefined ? { organization_id } : { subscription_id: query.subscription_id },
    ),
    findLiveSubscription(deps.db, owner),
    countHeldSeats(deps.db, organization_id),
    countInvited(deps.db, organization_id),
  ])
  const seats_total = subscription?.seats_total ?? 0
  return {
    invitations: invitations.map((invitation) => presentInvitation(deps.settings, invitation)),
    remaining: remainingInvitations({ seats_total, held, invited }),
    seats_total,
  }
}
