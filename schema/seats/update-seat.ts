import { sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { findHeldSeat, revokeActiveSeat, type Seat, type SeatRole } from './seats.ts'

export interface Member {
  readonly organization_id: string
  readonly user_id: string
  /** Null when the person is not a member (any more); as `recordMembership` returned it in this transaction. */
  readonly role: SeatRole | null
  /** Verified ones, lower case. */
  readonly emails: readonly string[]
}

/**
 * Makes somebody's seat agree with their membership, and returns the one they have then. A member takes the seat that was
 * promised to one of their addresses, and a seat's role is the membership's; whoever is no member has none. Nobody gets a seat
 * that was not promised. The caller has locked the subscription, if there is one, and refreshes plan types afterwards.
 */
export async function updateSeat(trx: DatabaseTransaction, member: Member): Promise<Seat | undefined> {
  if (member.role === null) {
    await revokeActiveSeat(trx, member)
    return undefined
  }
  const active = await findHeldSeat(trx, member.organization_id, { user_id: member.user_id })
  if (!active) return takePromisedSeat(trx, { ...member, role: member.role })
  if (active.role === member.role) return active
  return trx
    .updateTable('seats')
    .set({ role: member.role, updated_at: sql`now()` })
    .where('id', '=', active.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function takePromisedSeat(
  trx: DatabaseTransaction,
  member: Member & { readonly role: SeatRole },
): Promise<Seat | undefined> {
  if (member.emails.length === 0) return undefined
  const promised = await trx
    .selectFrom('seats')
    .select(['id', 'invitation_id'])
    .where('organization_id', '=', member.organization_id)
    .where('email', 'in', member.emails)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  if (!promised) return undefined
  await trx
    .updateTable('team_invitations')
    .set({ status: 'accepted', sweep_at: null, updated_at: sql`now()` })
    .where('id', '=', promised.invitation_id)
    .execute()
  return trx
    .updateTable('seats')
    .set({ status: 'active', user_id: member.user_id, role: member.role, updated_at: sql`now()` })
    .where('id', '=', promised.id)
    .returningAll()
    .executeTakeFirst()
}
