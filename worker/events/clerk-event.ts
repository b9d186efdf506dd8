import { type ClerkEventType, isClerkEventType } from '../../schema/clerk/event-types.ts'
import {
  type ClerkEvent,
  clerkEventSchema,
  clerkIdSchema,
  clerkMembershipSchema,
  isBanned,
  profileOf,
} from '../../schema/clerk/events.ts'
import type { Json } from '../../schema/database/types.ts'
import { deleteSignInsOf } from '../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import { updateProfile } from '../../schema/users/users.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { followContact } from './clerk/follow-contact.ts'
import { prepareInvitation } from './clerk/prepare-invitation.ts'
import { prepareOrganizationDeletion } from './clerk/prepare-organization-deletion.ts'
import { prepareUserDeletion } from './clerk/prepare-user-deletion.ts'
import { syncMember } from './clerk/sync-member.ts'
import type { ApplyInTransaction, EventNeeds } from './event-needs.ts'

type PrepareClerkEvent = (deps: WorkerDependencies, event: ClerkEvent) => Promise<ApplyInTransaction>

/**
 * Clerk's events. Those about memberships and invitations only say what to fetch, because they come in any
 * order. A deletion is final, so the event itself is enough; Clerk sends no events for the memberships that
 * end with it.
 */
export function readClerkEvent(payload: Json): EventNeeds {
  const event = clerkEventSchema.parse(payload)
  const { type } = event
  if (!isClerkEventType(type))
    return { needs: 'nothing', reason: `We do not handle events of the type ${type}` }
  return { needs: 'fetch', fetch: (deps) => handlers[type](deps, event) }
}

const handlers: Readonly<Record<ClerkEventType, PrepareClerkEvent>> = {
  'user.created': prepareProfile,
  'user.updated': prepareProfile,
  'user.deleted': prepareUserDeletion,
  'organizationMembership.created': prepareMembership,
  'organizationMembership.updated': prepareMembership,
  'organizationMembership.deleted': prepareMembership,
  'organizationInvitation.created': prepareInvitation,
  'organizationInvitation.accepted': prepareInvitation,
  'organizationInvitation.revoked': prepareInvitation,
  'organization.updated': prepareOrganization,
  'organization.deleted': prepareOrganizationDeletion,
}

/**
 * A user joined, left, or changed their role: a reserved seat becomes theirs, its role changes, or their seat
 * ends. A user who joins without a reserved seat gets none: seats cost money, and an admin
 * decides who has one.
 */
async function prepareMembership(deps: WorkerDependencies, event: ClerkEvent): Promise<ApplyInTransaction> {
  const { organization, public_user_data } = clerkMembershipSchema.parse(event.data)
  const key = { organization_id: organization.id, user_id: public_user_data.user_id }
  const apply = await syncMember(deps, key)
  return async (trx) => {
    await apply(trx)
    return { state: 'applied', reason: null }
  }
}

/**
 * Copies a changed e-mail or name to our row of the user, which is created on the user's first visit. A user
 * who was banned loses the tokens that they had by then, and sign-ins in progress; an old event that comes
 * again leaves those alone that were made after the ban was lifted.
 */
async function prepareProfile(deps: WorkerDependencies, event: ClerkEvent): Promise<ApplyInTransaction> {
  const profile = profileOf(event)
  const user_id = profile.clerk_id
  // A ban waits for no call.
  const reason = isBanned(event) ? null : await followContact(deps, { owner_kind: 'user', owner_id: user_id })
  return async (trx) => {
    if (isBanned(event)) {
      const made_until = new Date(profile.profile_updated_at.getTime() + clockSkewMs)
      await deleteSignInsOf(trx, user_id)
      await revokeTokens(trx, { user_id, now: deps.now(), made_until })
    }
    return (await updateProfile(trx, profile))
      ? { state: 'applied', reason }
      : { state: 'ignored', reason: 'The person has no account with us yet' }
  }
}

/** Its name is on its invoices. */
async function prepareOrganization(deps: WorkerDependencies, event: ClerkEvent): Promise<ApplyInTransaction> {
  const { id: owner_id } = clerkIdSchema.parse(event.data)
  const reason = await followContact(deps, { owner_kind: 'organization', owner_id })
  return async () => ({ state: 'applied', reason })
}

/** Between Clerk's clock and ours. */
const clockSkewMs = 60_000
