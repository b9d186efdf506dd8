import {
  listTeamInvitations,
  revokeTeamInvitation,
  sendTeamInvitation,
} from '../../schema/api/team-invitations.ts'
import {
  findLiveSubscription,
  findSubscription,
  lockLiveSubscription,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import {
  countInvited,
  endInvitation,
  findInvitation,
  type Invitation,
  listInvitations,
  remainingInvitations,
} from '../../schema/people/invitations/invitations.ts'
import { countHeldSeats } from '../../schema/people/seats/seats.ts'
import { ClerkRefusalError } from '../../schema/vendors/clerk/errors.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyMember, invitationNotPending, refusal, ServerError } from '../errors.ts'
import { organizationFailure, rowsFailure } from '../failures.ts'
import { invitationMessage, invite } from '../organizations/invite.ts'
import { presentInvitation } from '../organizations/present-invitation.ts'
import { admins } from '../rights.ts'
import { route } from '../route.ts'

export const teamInvitationsRoutes = [
  route(listTeamInvitations, {
    rights: admins({
      doing: 'see invitations',
      organization: ({ query }, deps) => findNamedOrganization(deps, query),
      notFound: ({ query }) => namedNotFound(query),
    }),
    failure: rowsFailure('Failed to load invitations'),
  }).handle(async ({ query, admin: { organization_id } }, deps) => {
    const [invitations, subscription, held, invited] = await Promise.all([
      listInvitations(
        deps.db,
        query.subscription_id === undefined
          ? { organization_id }
          : { subscription_id: query.subscription_id },
      ),
      findLiveSubscription(deps.db, organization_id),
      countHeldSeats(deps.db, organization_id),
      countInvited(deps.db, organization_id),
    ])
    const seats_total = subscription?.seats_total ?? 0
    return {
      invitations: invitations.map((invitation) => presentInvitation(deps.settings, invitation)),
      remaining: remainingInvitations({ seats_total, held, invited }),
      seats_total,
    }
  }),

  route(sendTeamInvitation, {
    rights: admins({
      doing: 'invite members',
      organization: ({ body }, deps) => findNamedOrganization(deps, body),
      notFound: ({ body }) => namedNotFound(body),
    }),
    failure: {
      ...organizationFailure('Failed to send invitation'),
      database: 'Failed to store invitation in database',
    },
  }).handle(async ({ body, user_id, admin: { organization_id } }, deps) => {
    const { email, role } = body
    const member = await deps.clerk.findMemberByEmail({ organization_id, email })
    if (member) throw alreadyMember(email)
    // Invitations reference the sender's row, which may not exist yet.
    await findOrCreateAccount(deps, user_id)
    const invitation = await invite(
      deps,
      { organization_id, inviter_id: user_id, email, role },
      {
        refusalWhenFull: (occupancy) =>
          remainingInvitations(occupancy) > 0
            ? null
            : new ServerError(
                402,
                'no_seats_left',
                `Maximum of ${occupancy.seats_total} team members allowed`,
              ),
        refusalOfReserved: () => refusal('already_invited'),
      },
    )
    return {
      success: true,
      invitation: presentInvitation(deps.settings, invitation),
      message: invitationMessage(invitation, deps),
    }
  }),

  // Revoked at Clerk first, so that the invitation cannot be accepted after its seat has been assigned again.
  route(revokeTeamInvitation, {
    rights: admins({
      doing: 'revoke invitations',
      organization: async ({ body }, { db }) => (await findInvitation(db, body.id))?.organization_id ?? null,
      notFound: () => refusal('invitation_not_found'),
    }),
    failure: {
      ...organizationFailure('Failed to revoke invitation'),
      database: 'Failed to update invitation status in database',
    },
  }).handle(async ({ body, user_id, admin: { organization_id } }, deps) => {
    const invitation = await findInvitation(deps.db, body.id)
    if (!invitation) throw refusal('invitation_not_found')
    if (invitation.status !== 'pending' && invitation.status !== 'revoked') {
      throw invitationNotPending(invitation.status)
    }
    if (invitation.status === 'pending') await revokeAtClerk(deps, invitation, user_id)
    const ended = await retryTransaction(deps.db, async (trx) => {
      await lockLiveSubscription(trx, organization_id)
      await endInvitation(trx, { id: invitation.id, status: 'revoked' })
      return findInvitation(trx, invitation.id)
    })
    // In the meantime the person has joined, or the invitation has expired.
    if (ended?.status !== 'revoked') throw invitationNotPending(ended?.status ?? 'gone')
    return {
      success: true,
      invitation: presentInvitation(deps.settings, ended),
      message: `Invitation to ${ended.email} has been revoked`,
    }
  }),
]

interface OrganizationName {
  readonly org_id?: string | undefined
  /** Stripe's id, which is all that the return page of a payment knows. */
  readonly subscription_id?: string | undefined
}

/** The organization that a request names, by its own id or by that of its subscription. */
async function findNamedOrganization(
  { db }: Pick<Dependencies, 'db'>,
  { org_id, subscription_id = '' }: OrganizationName,
): Promise<string | null> {
  if (org_id !== undefined) return org_id
  const subscription = await findSubscription(db, subscription_id)
  return subscription && kindOf(subscription.owner_id) === 'organization' ? subscription.owner_id : null
}

/** The same error whether the subscription does not exist yet or belongs to another organization. */
function namedNotFound({ org_id }: OrganizationName): ServerError {
  return org_id === undefined ? refusal('organization_not_initialized') : refusal('organization_not_found')
}

/**
 * An invitation that Clerk has already ended gets Clerk's status. An unconfirmed one is left to the claim.
 */
async function revokeAtClerk(
  { clerk }: Pick<Dependencies, 'clerk'>,
  { organization_id, clerk_invitation_id }: Invitation,
  requesting_user_id: string,
): Promise<void> {
  if (!clerk_invitation_id) return
  const key = { organization_id, clerk_invitation_id }
  try {
    await clerk.revokeInvitation({ ...key, requesting_user_id })
  } catch (error) {
    if (!(error instanceof ClerkRefusalError)) throw error
    const found = await clerk.findInvitation(key)
    if (found?.status === 'accepted') throw invitationNotPending('accepted')
    if (found?.status === 'pending') throw error
  }
}
