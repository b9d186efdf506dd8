import { z } from 'zod'
import { findCursor, moveCursor } from '../../schema/inbox/cursors/cursors.ts'
import { findInvitation, listInvitations } from '../../schema/people/invitations/invitations.ts'
import { lacksAdmin, listAdmins } from '../../schema/people/members/members.ts'
import { findWrongLimit, keepMembershipLimit } from '../../schema/people/seats/membership-limit.ts'
import { listHeldSeats, listOrganizationsWithSeats, type Seat } from '../../schema/people/seats/seats.ts'
import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { adoptInvitations } from '../events/clerk/adopt-invitations.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { syncInvitation } from './sync-invitations.ts'

/** From the beginning of one pass over all organizations to that of the next. */
const passEveryMs = 6 * 3600 * 1000

/** Each costs a call to Clerk. */
const organizationsPerRun = 100

const positionSchema = z.object({
  began_at: z.coerce.date(),
  /** Null when the pass is complete. */
  after_organization_id: z.string().nullable(),
})

/**
 * Compares every organization's seats with its memberships and open invitations at Clerk, some organizations
 * a run, all of them every few hours, and syncs each person who differs as a webhook would have done; admins
 * and Clerk's limit of members are compared too. Returns how many seats changed.
 */
export async function compareSeats(deps: WorkerDependencies): Promise<number> {
  const cursor = await findCursor(deps.db, 'seats')
  const position = beginPass(cursor && positionSchema.parse(cursor.position), deps.now())
  if (position.after_organization_id === null) return 0
  const organizations = await listOrganizationsWithSeats(deps.db, {
    after_organization_id: position.after_organization_id,
    limit: organizationsPerRun,
  })
  let corrected = 0
  let compared: string | undefined
  try {
    for (const organizationId of organizations) {
      corrected += await compareOrganization(deps, organizationId)
      compared = organizationId
    }
  } finally {
    // When Clerk is unavailable the next run goes on here.
    const isComplete = organizations.length < organizationsPerRun && compared === organizations.at(-1)
    await moveCursor(deps.db, 'seats', {
      from_revision: cursor?.revision ?? 0,
      position: {
        began_at: position.began_at.toISOString(),
        after_organization_id: isComplete ? null : (compared ?? position.after_organization_id),
      },
      completed_at: isComplete ? position.began_at : null,
    })
  }
  return corrected
}

function beginPass(
  last: z.infer<typeof positionSchema> | undefined,
  now: Date,
): z.infer<typeof positionSchema> {
  const isDue =
    !last || (last.after_organization_id === null && now.getTime() - last.began_at.getTime() >= passEveryMs)
  return isDue ? { began_at: now, after_organization_id: '' } : last
}

async function compareOrganization(deps: WorkerDependencies, organizationId: string): Promise<number> {
  const log = deps.log.child({ organization_id: organizationId })
  try {
    const seats = await listHeldSeats(deps.db, organizationId)
    const members = await deps.clerk.listMembers(organizationId)
    const corrected = members
      ? (await syncDifferences(deps, organizationId, { seats, members })) +
        (await compareInvitations(deps, organizationId))
      : await endOrganization(deps, organizationId, seats)
    if (corrected > 0) log.warn({ corrected }, 'Seats did not agree with memberships')
    deps.metrics.seatsCorrected.inc(corrected)
    if (members) {
      await syncAdmins(deps, organizationId, members)
      await compareLimit(deps, organizationId, members)
    }
    return corrected
  } catch (error) {
    if (error instanceof ClerkUnavailableError) throw error
    log.error({ err: error }, 'The seats of an organization could not be compared')
    return 0
  }
}

async function syncDifferences(
  deps: WorkerDependencies,
  organization_id: string,
  { seats, members }: { seats: readonly Seat[]; members: readonly Membership[] },
): Promise<number> {
  const roles = new Map(members.map((member) => [member.user_id, member.role]))
  const byEmail = new Map(members.map((member) => [member.email, member.user_id]))
  let corrected = 0
  for (const seat of seats) {
    const user_id = seat.user_id ?? byEmail.get(seat.email)
    if (!user_id) continue
    if (seat.status === 'active' && roles.get(user_id) === seat.role) continue
    // What was listed may be old by now: the person is asked about again, and the newest answer holds.
    await syncSubject(deps, { of: 'membership', organization_id, user_id }, 'schedule')
    corrected += 1
  }
  return corrected
}

/** An admin may have no seat, and whether there is one decides whether the plan goes on: see `endWithoutAdmin`. */
async function syncAdmins(
  deps: WorkerDependencies,
  organization_id: string,
  members: readonly Membership[],
): Promise<void> {
  const admins = new Set(members.flatMap(({ role, user_id }) => (role === 'admin' ? [user_id] : [])))
  const sync = (user_id: string) =>
    syncSubject(deps, { of: 'membership', organization_id, user_id }, 'schedule')
  for (const known of await listAdmins(deps.db, organization_id)) if (!admins.has(known)) await sync(known)
  if (await lacksAdmin(deps.db, organization_id)) for (const admin of admins) await sync(admin)
}

/**
 * Syncs the invitations that are not open at Clerk any more (they were revoked there, or accepted by a person
 * who has left since), and then reserves seats for those that are open there and have none. Returns how many
 * seats changed. One that Clerk has not been asked to send yet is left to `sync_due_invitations`.
 */
async function compareInvitations(deps: WorkerDependencies, organization_id: string): Promise<number> {
  const open = await deps.clerk.listInvitations(organization_id, 'pending')
  const isOpen = new Set(open.map(({ clerk_invitation_id }) => clerk_invitation_id))
  let ended = 0
  for (const invitation of await listInvitations(deps.db, { organization_id })) {
    const { id, status, clerk_invitation_id } = invitation
    if (status !== 'pending' || !clerk_invitation_id || isOpen.has(clerk_invitation_id)) continue
    await syncInvitation(deps, invitation)
    if ((await findInvitation(deps.db, id))?.status !== 'pending') ended += 1
  }
  return ended + (await adoptInvitations(deps, organization_id, open))
}

/** The members' list names the limit already, so a limit that agrees costs no call. */
async function compareLimit(
  deps: WorkerDependencies,
  organizationId: string,
  members: readonly Membership[],
): Promise<void> {
  if (!(await findWrongLimit(deps.db, organizationId, members))) return
  try {
    await keepMembershipLimit(deps, organizationId)
    deps.log.warn({ organization_id: organizationId }, 'The limit of members did not agree with the seats')
  } catch (error) {
    // Clerk's own plan does not allow as many: the seats agree all the same.
    if (!(error instanceof ClerkRefusalError)) throw error
    deps.log.error({ err: error, organization_id: organizationId }, 'Clerk refuses the limit of members')
  }
}

/**
 * Clerk does not know the organization: it was deleted, and the event was lost. With the key of another
 * application Clerk would know none of ours, so its seats end only if Clerk knows a person who has one.
 */
async function endOrganization(
  deps: WorkerDependencies,
  organizationId: string,
  seats: readonly Seat[],
): Promise<number> {
  const holder = seats.find((seat) => seat.user_id !== null)?.user_id
  const isOurClerk = holder ? (await deps.clerk.listEmailAddresses(holder)).length > 0 : false
  if (!isOurClerk) {
    deps.log.warn({ organization_id: organizationId }, 'Clerk knows neither the organization nor its people')
    return 0
  }
  await syncSubject(deps, { of: 'deleted_organization', id: organizationId, deleted_at: null }, 'schedule')
  return seats.length
}
