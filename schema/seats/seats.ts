import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB, Seats } from '../database/types.ts'

export type Seat = Selectable<Seats>
export type SeatRole = Seat['role']

/** Statuses in which a seat takes up room: a pending one is promised to somebody. */
export const heldStatuses = ['active', 'pending'] as const satisfies readonly Seat['status'][]

/** Seats that are taken up or promised. Only exact while the subscription is locked: see `lockLiveSubscription`. */
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
 * Every address's latest seat, those in use first. Somebody who changed their address since is shown with the one they have
 * now.
 */
export async function listSeats(db: Kysely<DB>, organizationId: string): Promise<Seat[]> {
  const latest = db
    .selectFrom('seats')
    .leftJoin('users', 'users.clerk_id', 'seats.user_id')
    .distinctOn('seats.email')
    .selectAll('seats')
    .select(({ fn }) => fn<string | null>('lower', ['users.email']).as('present_email'))
    .where('organization_id', '=', organizationId)
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

/** The seat that is in use by this person, or in use by or promised to this address. */
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

/** Everybody who has a seat of an organization. */
export async function listActiveSeatHolders(db: Kysely<DB>, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('seats')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .execute()
  return rows.flatMap((row) => row.user_id ?? [])
}

/** Gives a seat to a member. The caller has locked the subscription and found that there is room. */
export async function insertActiveSeat(
  trx: DatabaseTransaction,
  seat: { organization_id: string; user_id: string; email: string; role: SeatRole },
): Promise<Seat> {
  return trx
    .insertInto('seats')
    .values({
      organization_id: seat.organization_id,
      user_id: seat.user_id,
      email: seat.email.toLowerCase(),
      role: seat.role,
      status: 'active',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
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
