import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { findRow } from '../../database/find-rows.ts'
import type { DB, TeamInvitations } from '../../database/types.ts'
import { type Claimable, cleanRecord } from '../../inbox/claim/claimable.ts'
import { endPendingSeat, insertSeat } from '../seats/seats.ts'

export type Invitation = Selectable<TeamInvitations>

export const claimableInvitations = {
  table: 'team_invitations',
  key: ['id'],
  unfinished: sql<SqlBool>`next_try_at IS NOT NULL AND sync_failed_at IS NULL`,
} as const satisfies Claimable

export interface NewInvitation {
  readonly id: string
  readonly organization_id: string
  readonly subscription_id: string
  /** Null when it was sent from Clerk's own settings: its library does not say who sent it. */
  readonly inviter_id: string | null
  /** Lower case. */
  readonly email: string
  readonly role: Invitation['role']
  readonly expires_at: Date
  /** When it is claimed, to check whether it was sent. */
  readonly next_try_at: Date
  /** When Clerk has sent it already. */
  readonly clerk_invitation_id?: string
}

/**
 * Reserves a seat for a person who is not a member yet. Must be committed before Clerk is asked to send the
 * invitation, unless it has; the caller has locked the subscription and found that a seat is free.
 */
export async function reserveInvitation(
  trx: DatabaseTransaction,
  invitation: NewInvitation,
): Promise<Invitation> {
  const inserted = await trx
    .insertInto('team_invitations')
    .values({ ...invitation, status: 'pending' })
    .returningAll()
    .executeTakeFirstOrThrow()
  const { organization_id, email, role, id: invitation_id } = invitation
  await insertSeat(trx, { organization_id, email, role, invitation_id })
  return inserted
}

/**
 * How soon Clerk is asked again about an invitation that should have expired by our clock, and that it still
 * keeps open.
 */
const askAgainMs = 10 * 60 * 1000

/**
 * Records the id of our invitation at Clerk; from now on it is not claimed until it expires. One that we have
 * ended in the meantime is due at once, so that the worker ends it at Clerk too. One that Clerk keeps open
 * for longer is due again after some minutes, or it would be claimed every time, before all that became due
 * later.
 */
export async function attachInvitation(
  db: Kysely<DB>,
  invitation: { id: string; clerk_invitation_id: string; expires_at: Date; now: Date },
): Promise<Invitation | undefined> {
  const askAgainAt = new Date(invitation.now.getTime() + askAgainMs)
  return db
    .updateTable('team_invitations')
    .set({
      clerk_invitation_id: invitation.clerk_invitation_id,
      expires_at: invitation.expires_at,
      next_try_at: sql`CASE status
        WHEN 'pending' THEN greatest(${invitation.expires_at}::timestamptz, ${askAgainAt}::timestamptz)
        WHEN 'accepted' THEN NULL
        ELSE ${invitation.now}::timestamptz
      END`,
      ...cleanRecord,
      sync_failed_at: null,
      send_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', invitation.id)
    .where((eb) =>
      eb.or([
        eb('clerk_invitation_id', 'is', null),
        eb('clerk_invitation_id', '=', invitation.clerk_invitation_id),
      ]),
    )
    .returningAll()
    .executeTakeFirst()
}

/**
 * Keeps an invitation that Clerk does not want to send yet, with its seat, until the worker sends it.
 * Undefined when it was sent or ended meanwhile.
 */
export async function postponeInvitation(
  db: Kysely<DB>,
  { id, send_at }: { id: string; send_at: Date },
): Promise<Invitation | undefined> {
  return db
    .updateTable('team_invitations')
    .set({ send_at, next_try_at: send_at, ...cleanRecord, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('clerk_invitation_id', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Ends a pending invitation and frees its seat; undefined when it was not pending any more. If it is not
 * confirmed that it was sent, the worker searches for it at Clerk once more, so that no e-mail with a dead
 * link remains. `refusal_code`: why Clerk did not send it (`refusalCodeOf`).
 */
export async function endInvitation(
  trx: DatabaseTransaction,
  ending: { id: string; status: 'revoked' | 'expired'; refusal_code?: string },
): Promise<Invitation | undefined> {
  const ended = await trx
    .updateTable('team_invitations')
    .set({
      status: ending.status,
      refusal_code: ending.refusal_code ?? null,
      next_try_at: sql`CASE WHEN clerk_invitation_id IS NULL THEN next_try_at END`,
      send_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', ending.id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  if (!ended) return undefined
  const { organization_id, id: invitation_id } = ended
  await endPendingSeat(trx, { organization_id, invitation_id, status: ending.status })
  return ended
}

/** Acceptance is final, in any earlier state of the invitation. */
export async function acceptInvitation(trx: DatabaseTransaction, id: string): Promise<void> {
  await trx
    .updateTable('team_invitations')
    .set({ status: 'accepted', next_try_at: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('status', '<>', 'accepted')
    .execute()
}

/**
 * Revokes the pending invitations of an organization that no longer exists at Clerk; their seats are the
 * caller's to end.
 */
export async function revokeInvitationsOf(trx: DatabaseTransaction, organizationId: string): Promise<void> {
  await trx
    .updateTable('team_invitations')
    .set({ status: 'revoked', next_try_at: null, updated_at: sql`now()` })
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'pending')
    .execute()
}

/** No further try can find out what became of the invitation; a person has to see to it. */
export async function failInvitationSync(
  db: Kysely<DB>,
  failed: { readonly id: string; readonly reason: string; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('team_invitations')
    .set({ sync_failed_at: failed.now, last_error: failed.reason, updated_at: sql`now()` })
    .where('id', '=', failed.id)
    .execute()
}

/** After a try that support asked for and that went well. */
export async function clearInvitationFailure(db: Kysely<DB>, id: string): Promise<void> {
  await db
    .updateTable('team_invitations')
    .set({ ...cleanRecord, sync_failed_at: null })
    .where('id', '=', id)
    .where('sync_failed_at', 'is not', null)
    .execute()
}

/**
 * Makes an invitation one that has not been sent yet, so that it can be sent again; what Clerk has of it was
 * revoked there. The caller holds its row until the new one is recorded, so that the news of the revocation
 * does not end it.
 */
export async function detachInvitation(
  trx: DatabaseTransaction,
  { id, expires_at }: { readonly id: string; readonly expires_at: Date },
): Promise<Invitation> {
  return trx
    .updateTable('team_invitations')
    .set({ clerk_invitation_id: null, send_at: null, expires_at, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** An invitation that has ended, in our database and at Clerk, is not claimed any more. */
export async function stopClaims(db: Kysely<DB>, id: string): Promise<void> {
  await db
    .updateTable('team_invitations')
    .set({ next_try_at: null })
    .where('id', '=', id)
    .where('status', '<>', 'pending')
    .execute()
}

export function findInvitation(db: Kysely<DB>, id: string): Promise<Invitation | undefined> {
  return findRow(db, 'team_invitations', 'id', id)
}

/**
 * The invitation behind one of Clerk's, locked until the transaction ends: it has Clerk's id, or `ours` is
 * its id while its sender has not recorded Clerk's yet. Nulls are sorted last.
 */
export async function lockInvitationAtClerk(
  trx: DatabaseTransaction,
  { clerk_invitation_id, ours }: { readonly clerk_invitation_id: string; readonly ours: string | null },
): Promise<Invitation | undefined> {
  return trx
    .selectFrom('team_invitations')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('clerk_invitation_id', '=', clerk_invitation_id),
        eb.and([eb(sql<string>`id::text`, '=', ours), eb('clerk_invitation_id', 'is', null)]),
      ]),
    )
    .orderBy('clerk_invitation_id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

export function findInvitationAtClerk(db: Kysely<DB>, id: string): Promise<Invitation | undefined> {
  return findRow(db, 'team_invitations', 'clerk_invitation_id', id)
}

/**
 * Reads the invitation and keeps others from changing it until the transaction ends. Seats are locked before
 * it.
 */
export async function lockInvitation(trx: DatabaseTransaction, id: string): Promise<Invitation | undefined> {
  return trx.selectFrom('team_invitations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Newest first, without those that were never sent. */
export async function listInvitations(
  db: Kysely<DB>,
  of: { organization_id: string } | { subscription_id: string },
): Promise<Invitation[]> {
  const query = db
    .selectFrom('team_invitations')
    .selectAll()
    .where((eb) => eb.or([eb('status', '<>', 'revoked'), eb('clerk_invitation_id', 'is not', null)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
  return 'organization_id' in of
    ? query.where('organization_id', '=', of.organization_id).execute()
    : query.where('subscription_id', '=', of.subscription_id).execute()
}

/** How full an organization's subscription is. */
export interface Occupancy {
  readonly seats_total: number
  /** Active and pending seats. */
  readonly held: number
  /** Those of them that were given by invitation. */
  readonly invited: number
}

/**
 * How many more people can be invited: one seat is the buyer's, so one less than there are, and never more
 * than are free, because seats are also given to members without an invitation.
 */
export function remainingInvitations({ seats_total, held, invited }: Occupancy): number {
  return Math.max(0, Math.min(seats_total - 1 - invited, seats_total - held))
}

/**
 * How many invitations of an organization hold a seat: those that are pending, and those that were accepted
 * by a user who still has it.
 */
export async function countInvited(db: Kysely<DB>, organizationId: string): Promise<number> {
  const { invited } = await db
    .selectFrom('seats')
    .select(({ fn }) => fn.countAll<number>().as('invited'))
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['active', 'pending'])
    .where('invitation_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return invited
}

/**
 * The invitations that were sent, or are to be sent, to one of these addresses, in the order in which every
 * caller locks them.
 */
export async function listInvitationsTo(db: Kysely<DB>, emails: readonly string[]): Promise<Invitation[]> {
  if (emails.length === 0) return []
  return db
    .selectFrom('team_invitations')
    .selectAll()
    .where('email', 'in', emails)
    .orderBy('organization_id')
    .orderBy('id')
    .execute()
}

/** Puts a pseudonym in place of the address of invitations that have ended. Returns how many it changed. */
export async function replaceInvitationEmails(
  trx: DatabaseTransaction,
  { ids, pseudonym }: { readonly ids: readonly string[]; readonly pseudonym: string },
): Promise<number> {
  if (ids.length === 0) return 0
  const { numUpdatedRows } = await trx
    .updateTable('team_invitations')
    .set({ email: pseudonym, updated_at: sql`now()` })
    .where('id', 'in', ids)
    .where('status', '<>', 'pending')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
