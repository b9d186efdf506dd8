import type { revokeTeamInvitation } from '../../schema/api/team-invitations.ts'
import { ClerkRefusalError } from '../../schema/clerk/errors.ts'
import { endInvitation, findInvitation, type Invitation } from '../../schema/invitations/invitations.ts'
import { lockLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from '../dependencies.ts'
import { invitationNotFound, invitationNotPending, ServerError } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { orOrganizationFailure } from '../organizations/clerk-failure.ts'
import { requireAdmin } from '../organizations/membership.ts'
import { presentInvitation } from '../presenters/invitation.ts'

const failure = 'Failed to revoke invitation'

/** Takes an invitation back, first at Clerk, so that it cannot be accepted when its seat is somebody else's already. */
export const handleRevokeTeamInvitation: Handler<typeof revokeTeamInvitation> = async (
  { body, user_id, trace },
  deps,
) => {
  const invitation = await findInvitation(deps.db, body.id)
  if (!invitation) throw invitationNotFound()
  const { organization_id } = invitation
  trace.note({ organization_id })
  await requireAdmin(deps, { organization_id, user_id }, { doing: 'revoke invitations' }).catch(
    hideFromOthers,
  )
  if (invitation.status !== 'pending' && invitation.status !== 'revoked') {
    throw invitationNotPending(invitation.status)
  }
  if (invitation.status === 'pending') await revokeAtClerk(deps, invitation, user_id)
  const ended = await deps.db.transaction().execute(async (trx) => {
    await lockLiveSubscription(trx, { owner_kind: 'organization', owner_id: organization_id })
    await endInvitation(trx, { id: invitation.id, status: 'revoked' })
    return findInvitation(trx, invitation.id)
  })
  // Somebody joined, or the invitation ran out, at this very moment.
  if (ended?.status !== 'revoked') throw invitationNotPending(ended?.status ?? 'gone')
  return {
    success: true,
    invitation: presentInvitation(deps.settings, ended),
    message: `Invitation to ${ended.email} has been revoked`,
  }
}

function hideFromOthers(error: unknown): never {
  throw error instanceof ServerError && error.status === 404 ? invitationNotFound() : error
}

/** When Clerk says that it is over already, what it became decides; one whose sending is not confirmed is left to the sweep. */
async function revokeAtClerk(
  deps: Pick<Dependencies, 'clerk'>,
  { organization_id, clerk_invitation_id }: Invitation,
  requesting_user_id: string,
): Promise<void> {
  if (!clerk_invitation_id) return
  const key = { organization_id, clerk_invitation_id }
  try {
    await deps.clerk.revokeInvitation({ ...key, requesting_user_id })
  } catch (error) {
    if (!(error instanceof ClerkRefusalError)) return orOrganizationFailure(failure, Promise.reject(error))
    const found = await orOrganizationFailure(failure, deps.clerk.findInvitation(key))
    if (found?.status === 'accepted') throw invitationNotPending('accepted')
    if (found?.status === 'pending') await orOrganizationFailure(failure, Promise.reject(error))
  }
}
