import type { sendTeamInvitation } from '../../schema/api/team-invitations.ts'
import { remainingInvitations } from '../../schema/invitations/occupancy.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import { alreadyInvited, alreadyMember, teamIsFull } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { orOrganizationFailure } from '../organizations/clerk-failure.ts'
import { invite } from '../organizations/invite.ts'
import { requireAdminOfNamed } from '../organizations/named-organization.ts'
import { presentInvitation } from '../presenters/invitation.ts'

const failure = 'Failed to send invitation'

export const handleSendTeamInvitation: Handler<typeof sendTeamInvitation> = async (
  { body, user_id, trace },
  deps,
) => {
  const { email, role } = body
  const { organization_id } = await requireAdminOfNamed(
    deps,
    { ...body, user_id },
    { doing: 'invite members' },
  )
  trace.note({ organization_id })
  const member = await orOrganizationFailure(
    failure,
    deps.clerk.findMemberByEmail({ organization_id, email }),
  )
  if (member) throw alreadyMember(email)
  // Invitations name their sender, who may not have been here before.
  await orOrganizationFailure(failure, findOrCreateAccount(deps, user_id))
  const invitation = await invite(
    deps,
    { organization_id, inviter_id: user_id, email, role },
    {
      failure,
      refusalWhenFull: (occupancy) =>
        remainingInvitations(occupancy) === 0 ? teamIsFull(occupancy.seats_total) : null,
      refusalOfPromised: () => alreadyInvited(),
    },
  )
  return {
    success: true,
    invitation: presentInvitation(deps.settings, invitation),
    message: `Invitation sent to ${email}`,
  }
}
