import type { Json } from '../../schema/database/types.ts'
import type { UserProfile } from '../../schema/people/users/users.ts'
import { type ClerkEventObject, objectOfClerkEvent } from '../../schema/vendors/clerk/event-types.ts'
import {
  type ClerkEvent,
  clerkEventSchema,
  clerkIdSchema,
  clerkInvitationSchema,
  clerkMembershipSchema,
  isBanned,
  occurredAt,
  profileOf,
} from '../../schema/vendors/clerk/events.ts'
import type { InvitationKey } from '../../schema/vendors/clerk/invitations.ts'
import type { MemberKey } from '../../schema/vendors/clerk/memberships.ts'
import type { Acceptance } from './clerk/invitation-snapshot.ts'
import { ignore, type Nothing } from './outcome.ts'

export interface DeletedOwner {
  readonly id: string
  /** Null where no event says when. */
  readonly deleted_at: Date | null
}

/** What has to be fetched from Clerk, with what the event says that cannot change any more. */
export type ClerkSubject =
  | { readonly of: 'profile'; readonly profile: UserProfile; readonly is_banned: boolean }
  | ({ readonly of: 'deleted_user' } & DeletedOwner)
  | ({ readonly of: 'membership' } & MemberKey)
  | ({ readonly of: 'invitation'; readonly acceptance: Acceptance | null } & InvitationKey)
  | { readonly of: 'organization'; readonly id: string }
  | ({ readonly of: 'deleted_organization' } & DeletedOwner)

/**
 * What an event is about. A deletion is final, and a profile has a time by which the newest is known, so
 * these are read from the event; memberships and invitations are fetched, because their events come in any
 * order. Clerk sends no events for the memberships that end with a deletion.
 */
export function readClerkSubject(payload: Json): ClerkSubject | Nothing {
  const event = clerkEventSchema.parse(payload)
  const object = objectOfClerkEvent(event.type)
  return object ? subjects[object](event) : ignore('not_handled', { type: event.type })
}

const subjects: Readonly<Record<ClerkEventObject, (event: ClerkEvent) => ClerkSubject>> = {
  user: (event) =>
    event.type === 'user.deleted'
      ? { of: 'deleted_user', id: clerkIdSchema.parse(event.data).id, deleted_at: occurredAt(event) }
      : { of: 'profile', profile: profileOf(event), is_banned: isBanned(event) },
  membership({ data }) {
    const { organization, public_user_data } = clerkMembershipSchema.parse(data)
    return { of: 'membership', organization_id: organization.id, user_id: public_user_data.user_id }
  },
  invitation({ type, data }) {
    const { id, organization_id, user_id } = clerkInvitationSchema.parse(data)
    const acceptance = type === 'organizationInvitation.accepted' ? { user_id: user_id ?? null } : null
    return { of: 'invitation', organization_id, clerk_invitation_id: id, acceptance }
  },
  organization(event) {
    const { id } = clerkIdSchema.parse(event.data)
    if (event.type !== 'organization.deleted') return { of: 'organization', id }
    return { of: 'deleted_organization', id, deleted_at: occurredAt(event) }
  },
}
