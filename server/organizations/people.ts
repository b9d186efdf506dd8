import type { OrganizationPerson } from '../../schema/api/organization-people.ts'
import type { Invitation } from '../../schema/people/invitations/invitations.ts'
import type { Seat } from '../../schema/people/seats/seats.ts'
import type { ClerkInvitation } from '../../schema/vendors/clerk/invitations.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import type { Settings } from '../settings.ts'
import { presentInvitation } from './present-invitation.ts'

/** What Clerk and our own rows know of an organization's people. */
export interface KnownPeople {
  readonly members: readonly Membership[]
  /** Open at Clerk. */
  readonly open: readonly ClerkInvitation[]
  /** The latest seat of each address, those in use first. */
  readonly seats: readonly Seat[]
  readonly invitations: readonly Invitation[]
  /** Credits by user. */
  readonly used: ReadonlyMap<string, number>
}

/**
 * One row for each person: the members, then who is invited, with a reserved seat or without one, then who
 * had a seat and is neither.
 */
export function presentPeople(
  settings: Pick<Settings, 'app_url'>,
  { members, open, seats, invitations, used }: KnownPeople,
): OrganizationPerson[] {
  const shown = new Set<string | null>()
  const usedBy = (user_id: string | null) => (user_id && used.get(user_id)) || 0
  const joined = members.map((member) => {
    for (const known of [member.user_id, member.email]) if (known) shown.add(known)
    const { user_id, name, email, role } = member
    return { ...presentMember({ user_id, name, email, role }, seats), used_credits: usedBy(user_id) }
  })
  const invited = seats
    .filter(({ status }) => status === 'pending')
    .map((seat) => {
      shown.add(seat.email)
      const invitation = invitations.find(({ id }) => id === seat.invitation_id)
      return { ...presentSeat(seat), invitation: invitation ? presentInvitation(settings, invitation) : null }
    })
  const withoutSeat = open
    .filter(({ email }) => !shown.has(email))
    .map(({ email, role }) => {
      shown.add(email)
      return { ...blank, email, role }
    })
  const ended = seats
    .filter(({ email, user_id }) => !shown.has(email) && !shown.has(user_id))
    .map((seat) => ({ ...presentSeat(seat), used_credits: usedBy(seat.user_id) }))
  return [...joined.toSorted(byLabel), ...invited, ...withoutSeat, ...ended]
}

/** A member and their own seat. */
export function presentMember(
  member: Pick<OrganizationPerson, 'name' | 'email' | 'role'> & { readonly user_id: string },
  seats: readonly Seat[],
): OrganizationPerson {
  const seat = seats.find(({ user_id }) => user_id === member.user_id)
  return { ...blank, ...member, is_member: true, seat: seat?.status ?? null }
}

/** What is not known of a person. */
const blank = {
  user_id: null,
  name: null,
  is_member: false,
  seat: null,
  invitation: null,
  used_credits: 0,
} as const

function presentSeat({ user_id, email, role, status }: Seat): OrganizationPerson {
  return { ...blank, user_id, email, role, seat: status }
}

function byLabel(one: OrganizationPerson, other: OrganizationPerson): number {
  return labelOf(one).localeCompare(labelOf(other))
}

function labelOf({ name, email }: OrganizationPerson): string {
  return name ?? email ?? ''
}
