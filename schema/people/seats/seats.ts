import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB, Seats } from '../../database/types.ts'

export type Seat = Selectable<Seats>
export type SeatRole = Seat['role']

/** Statuses in which a seat is not free; a pending seat is reserved for an invitation. */
const heldStatuses = ['active', 'pending'] as const satisfies readonly Seat['status'][]

/** Seats in use or reserved. Exact only while the subscription is locked: see `lockLiveSubscription`. */
export async function countHeldSeats(db: Kysely<DB>, organizationId: string): Promise<number> {
  const { held } = await db
    .selectFrom('seats')
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .where('organization_id', '=', organizationId)
    .where('status', 'in', heldStatuses)
    .executeTakeFirstOrThrow()
  return held
}

/**
 * The latest seat of each person, those in use first, with the person's present address. Not one that was
 * reserved for an invitation which Clerk refused: that address never had any.
 */
export async function listSeats(db: Kysely<DB>, organizationId: string): Promise<Seat[]> {
  const latest = db
    .selectFrom('seats')
    .leftJoin('users', 'users.clerk_id', 'seats.user_id')
    .distinctOn('seats.email')
    .selectAll('seats')
    .select(({ fn }) => fn<string | null>('lower', ['users.email']).as('present_email'))
    .where('organization_id', '=', organizationId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('team_invitations')
            .select('id')
            .whereRef('team_invitations.organization_id', '=', 'seats.organization_id')
            .whereRef('team_invitations.id', '=', 'seats.invitation_id')
            .where('refusal_code', 'is not', null)
            .where('clerk_invitation_id', 'is', null),
        ),
      ),
    )
    .orderBy('seats.email')
    .orderBy(sql`seats.status IN ('active', 'pending')`, 'desc')
    .orderBy('seats.id', 'desc')
  const rows = await db
    .selectFrom(latest.as('latest'))
    .selectAll()
    .orderBy(sql`array_position(ARRAY['active', 'pending', 'expired', 'revoked'], status)`)
    .orderBy('assigned_at')
    .orderBy('id')
    .execute()
  return rows.map(({ present_email, ...seat }) => ({ ...seat, email: present_email ?? seat.email }))
}

/** The seat in use by this person, or in use by or reserved for this address. */
export async function findHeldSeat(
  db: Kysely<DB>,
  organizationId: string,
  holder: { user_id: string } | { email: string },
): Promise<Seat | undefined> {
  const query = db
    .selectFrom('seats')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', 'in', heldStatuses)
  return 'user_id' in holder
    ? query.where('user_id', '=', holder.user_id).executeTakeFirst()
    : query.where('email', '=', holder.email).executeTakeFirst()
}

/** The organizations in which the user has a seat. */
export async function listSeatsOf(db: Kysely<DB>, user_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('seats')
    .select('organization_id')
    .where('user_id', '=', user_id)
    .where('status', '=', 'active')
    .orderBy('organization_id')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

export async function listActiveSeatHolders(db: Kysely<DB>, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('seats')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .execute()
  return rows.flatMap((row) => row.user_id ?? [])
}

/** The next organizations with seats in use or reserved, ordered by id. */
export async function listOrganizationsWithSeats(
  db: Kysely<DB>,
  page: { readonly after_organization_id: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('seats')
    .select('organization_id')
    .distinct()
    .where('status', 'in', heldStatuses)
    .where('organization_id', '>', page.after_organization_id)
    .orderBy('organization_id')
    .limit(page.limit)
    .execute()
  return rows.map((row) => row.organization_id)
}

export async function listHeldSeats(db: Kysely<DB>, organizationId: string): Promise<Seat[]> {
  return db
    .selectFrom('seats')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', 'in', heldStatuses)
    .orderBy('id')
    .execute()
}

/**
 * Gives a seat to a member, or reserves one for an invitation. The caller has locked the subscription and
 * found that one is free.
 */
export async function insertSeat(
  trx: DatabaseTransaction,
  { organization_id, email, role, ...holder }: NewSeat,
): Promise<Seat> {
  const held =
    'user_id' in holder
      ? ({ status: 'active', user_id: holder.user_id } as const)
      : ({ status: 'pending', invitation_id: holder.invitation_id } as const)
  return trx
    .insertInto('seats')
    .values({ organization_id, email: email.toLowerCase(), role, ...held })
    .returningAll()
    .executeTakeFirstOrThrow()
}

type NewSeat = Pick<Seat, 'organization_id' | 'email' | 'role'> &
  ({ readonly user_id: string } | { readonly invitation_id: string })

/** Locks the oldest seat that is reserved for one of these addresses. */
export async function lockPendingSeat(
  trx: DatabaseTransaction,
  { organization_id, emails }: { organization_id: string; emails: readonly string[] },
): Promise<Seat | undefined> {
  if (emails.length === 0) return undefined
  return trx
    .selectFrom('seats')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('email', 'in', emails)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

/** Gives a seat to a member who has it already, in another role, or for whom it was reserved. */
export async function activateSeat(
  trx: DatabaseTransaction,
  seat: { organization_id: string; id: number; user_id: string; role: SeatRole },
): Promise<Seat> {
  return trx
    .updateTable('seats')
    .set({ status: 'active', user_id: seat.user_id, role: seat.role, updated_at: sql`now()` })
    .where('organization_id', '=', seat.organization_id)
    .where('id', '=', seat.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Frees a reserved seat when its invitation ends. A seat in use is left alone. */
export async function endPendingSeat(
  trx: DatabaseTransaction,
  {
    organization_id,
    invitation_id,
    status,
  }: { organization_id: string; invitation_id: string; status: 'revoked' | 'expired' },
): Promise<void> {
  await trx
    .updateTable('seats')
    .set({ status, updated_at: sql`now()` })
    .where('organization_id', '=', organization_id)
    .where('invitation_id', '=', invitation_id)
    .where('status', '=', 'pending')
    .execute()
}

/**
 * Closes the seat of an invitation that was accepted, unless the seat is in use: the person has left since,
 * or has another one. Their id is kept on it.
 */
export async function closeAcceptedSeat(
  trx: DatabaseTransaction,
  {
    organization_id,
    invitation_id,
    user_id,
  }: { organization_id: string; invitation_id: string; user_id: string | null },
): Promise<void> {
  await trx
    .updateTable('seats')
    .set({
      status: sql`CASE status WHEN 'pending' THEN 'revoked' ELSE status END`,
      user_id: sql`coalesce(user_id, ${user_id})`,
      updated_at: sql`now()`,
    })
    .where('organization_id', '=', organization_id)
    .where('invitation_id', '=', invitation_id)
    .where('status', '<>', 'active')
    .execute()
}

/** Ends every seat of an organization, used or reserved. Returns the users who had one. */
export async function endSeatsOf(trx: DatabaseTransaction, organizationId: string): Promise<string[]> {
  const ended = await trx
    .updateTable('seats')
    .set({ status: 'revoked', updated_at: sql`now()` })
    .where('organization_id', '=', organizationId)
    .where('status', 'in', heldStatuses)
    .returning('user_id')
    .execute()
  return ended.flatMap((seat) => seat.user_id ?? [])
}

/** Ends a seat that is in use; undefined when the person has none. */
export async function revokeActiveSeat(
  trx: DatabaseTransaction,
  key: { organization_id: string; user_id: string },
): Promise<Seat | undefined> {
  return trx
    .updateTable('seats')
    .set({ status: 'revoked', updated_at: sql`now()` })
    .where('organization_id', '=', key.organization_id)
    .where('user_id', '=', key.user_id)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst()
}

/** Replaces a person's addresses by a pseudonym on all their seats. Returns the number of seats. */
export async function replaceSeatEmails(
  trx: DatabaseTransaction,
  person: {
    readonly user_id: string
    readonly emails: readonly string[]
    /** Where they are or were a member. */
    readonly organizations: readonly string[]
    readonly pseudonym: string
  },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('seats')
    .set({ email: person.pseudonym, updated_at: sql`now()` })
    .where(
      sql<boolean>`(email = ANY (${person.emails})
        OR (organization_id = ANY (${person.organizations}) AND user_id = ${person.user_id}))`,
    )
    .where('email', '<>', person.pseudonym)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
