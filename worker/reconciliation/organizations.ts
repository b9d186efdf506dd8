import { findWrongLimit } from '../../schema/people/seats/membership-limit.ts'
import { listHeldSeats, listOrganizationsWithSeats, type Seat } from '../../schema/people/seats/seats.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { isYoung, resyncOf, rowsOf, type UnconfirmedDifference } from './comparison.ts'

/** Each costs a call to Clerk. */
const organizationsPerStep = 20

/**
 * Who has a seat is a member at Clerk, with the same role; who is a member is known to us; and Clerk has room
 * for as many as seats were sold.
 */
export const organizations = rowsOf<string>({
  name: 'organizations',
  list: (db, after_organization_id) =>
    listOrganizationsWithSeats(db, { after_organization_id, limit: organizationsPerStep }),
  idOf: (id) => id,
  compare: compareOrganization,
})

async function compareOrganization(
  deps: WorkerDependencies,
  id: string,
  now: Date,
): Promise<UnconfirmedDifference[]> {
  const members = await deps.clerk.listMembers(id)
  // Read after Clerk was asked: what is older than the list is in it.
  const seats = await listHeldSeats(deps.db, id)
  if (members === null) return [organizationGone(id, seats)]
  const oldSeats = seats.filter(({ updated_at }) => !isYoung(updated_at, now))
  const oldMembers = members.filter(({ updated_at }) => !isYoung(updated_at, now))
  const known = await deps.db
    .selectFrom('organization_members')
    .select(['user_id', 'role'])
    .where('organization_id', '=', id)
    .execute()
  const roles = new Map(known.map((row) => [row.user_id, row.role]))
  return [
    ...oldSeats.flatMap((seat) => compareSeat(seat, members, now) ?? []),
    ...oldMembers.flatMap((member) => compareMember(member, seats, roles.get(member.user_id)) ?? []),
    // A change of either is followed by one of the limit.
    ...(oldSeats.length === seats.length && oldMembers.length === members.length
      ? await compareLimit(deps, id, members)
      : []),
  ]
}

function common(organization_id: string, object: string) {
  return {
    object_id: `${organization_id}/${object}`,
    owner_id: organization_id,
    repair: resyncOf(organization_id),
    refs: [organization_id, object],
  }
}

function organizationGone(id: string, seats: readonly Seat[]): UnconfirmedDifference {
  return {
    ...common(id, 'organization'),
    kind: 'seat_without_membership',
    data: { organization_id: id, user_id: null, there: null, here: null, seats: seats.length },
  }
}

function compareSeat(
  seat: Seat,
  members: readonly Membership[],
  now: Date,
): UnconfirmedDifference | undefined {
  const { organization_id, user_id, role, status } = seat
  if (status !== 'active' || user_id === null) return undefined
  const member = members.find((one) => one.user_id === user_id)
  if (!member) {
    return {
      ...common(organization_id, user_id),
      kind: 'seat_without_membership',
      data: { organization_id, user_id, there: null, here: role, seats: 1 },
    }
  }
  if (member.role === role || isYoung(member.updated_at, now)) return undefined
  return {
    ...common(organization_id, user_id),
    kind: 'seat_role_differs',
    data: { organization_id, user_id, there: member.role, here: role },
  }
}

/** A member without any seat is none: no member gets a seat that was not reserved (decision 041). */
function compareMember(
  { organization_id, user_id, email, role }: Membership,
  seats: readonly Seat[],
  knownRole: Membership['role'] | null | undefined,
): UnconfirmedDifference | undefined {
  const hasSeat = seats.some((seat) => seat.user_id === user_id)
  const is_reserved = !hasSeat && seats.some((seat) => seat.status === 'pending' && seat.email === email)
  if (!is_reserved && (hasSeat || knownRole === role)) return undefined
  return {
    ...common(organization_id, user_id),
    kind: 'membership_without_seat',
    data: { organization_id, user_id, there: role, here: knownRole ?? null, is_reserved },
  }
}

async function compareLimit(
  deps: WorkerDependencies,
  id: string,
  members: readonly Membership[],
): Promise<UnconfirmedDifference[]> {
  const data = await findWrongLimit(deps.db, id, members)
  return data ? [{ ...common(id, 'limit'), kind: 'member_limit_differs', data }] : []
}
