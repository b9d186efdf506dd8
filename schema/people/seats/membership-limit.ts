import type { Kysely } from 'kysely'
import { findLiveSubscription } from '../../billing/subscriptions/subscriptions.ts'
import type { DB } from '../../database/types.ts'
import type { ClerkDirectory } from '../../vendors/clerk/directory.ts'

interface Occupancy {
  readonly seats_total: number
  /** Seats in use, and seats reserved by an invitation that Clerk has sent: both count as people. */
  readonly seats_at_clerk: number
  /** Members and open invitations at Clerk, with a seat or without. */
  readonly people_at_clerk: number
}

/**
 * How many people Clerk has to let into an organization: its members and invitations, and one for each seat
 * that is still free. When every member has a seat, it is the number of seats. At least 1, because 0 is no
 * limit at Clerk.
 */
function membershipLimitFor({ seats_total, seats_at_clerk, people_at_clerk }: Occupancy): number {
  return Math.max(1, people_at_clerk + Math.max(0, seats_total - seats_at_clerk))
}

/** The part of the occupancy that our tables know; undefined without a live subscription. */
async function findSeatsAtClerk(
  db: Kysely<DB>,
  organizationId: string,
): Promise<
  (Pick<Occupancy, 'seats_total' | 'seats_at_clerk'> & { readonly seats_reserved: number }) | undefined
> {
  const subscription = await findLiveSubscription(db, organizationId)
  if (!subscription) return undefined
  const { used, reserved } = await db
    .selectFrom('seats')
    .leftJoin('team_invitations', (join) =>
      join
        .onRef('team_invitations.organization_id', '=', 'seats.organization_id')
        .onRef('team_invitations.id', '=', 'seats.invitation_id'),
    )
    .select(({ fn, eb }) => [
      fn.countAll<number>().filterWhere('seats.status', '=', 'active').as('used'),
      fn
        .countAll<number>()
        .filterWhere(
          eb.and([
            eb('seats.status', '=', 'pending'),
            eb('team_invitations.clerk_invitation_id', 'is not', null),
          ]),
        )
        .as('reserved'),
    ])
    .where('seats.organization_id', '=', organizationId)
    .where('seats.status', 'in', ['active', 'pending'])
    .executeTakeFirstOrThrow()
  return { seats_total: subscription.seats_total, seats_at_clerk: used + reserved, seats_reserved: reserved }
}

/** What Clerk's limit is by its list of members, and what it should be; null where the two agree. */
export async function findWrongLimit(
  db: Kysely<DB>,
  organizationId: string,
  members: readonly { readonly membership_limit: number }[],
): Promise<{ readonly seats_total: number; readonly at_clerk: number; readonly limit: number } | null> {
  const seats = await findSeatsAtClerk(db, organizationId)
  const [member] = members
  if (!seats || !member) return null
  const limit = membershipLimitFor({ ...seats, people_at_clerk: members.length + seats.seats_reserved })
  const { seats_total } = seats
  return member.membership_limit === limit ? null : { seats_total, at_clerk: member.membership_limit, limit }
}

/**
 * Makes Clerk's limit of an organization agree with its seats. Clerk begins with five people, and refuses the
 * sixth although a seat was bought for them. Without a live subscription the limit stays as it is. Returns
 * whether it changed; throws ClerkUnavailableError and ClerkRefusalError (Clerk's own plan does not allow as
 * many).
 */
export async function keepMembershipLimit(
  { db, clerk }: { db: Kysely<DB>; clerk: Pick<ClerkDirectory, 'findOccupancy' | 'setMembershipLimit'> },
  organization_id: string,
): Promise<boolean> {
  const seats = await findSeatsAtClerk(db, organization_id)
  const at_clerk = seats && (await clerk.findOccupancy(organization_id))
  if (!at_clerk) return false
  const limit = membershipLimitFor({ ...seats, people_at_clerk: at_clerk.members + at_clerk.invited })
  if (limit === at_clerk.limit) return false
  await clerk.setMembershipLimit({ organization_id, limit })
  return true
}
