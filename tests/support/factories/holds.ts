import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '../../../schema/database/types.ts'
import type { Hold, Reservation, Settlement, SpendOutcome } from '../../../schema/ledger/spend/usage.ts'
import { decideOne } from './transfers.ts'

/** Asks for credits of an owner, 75 for a quarter of an hour unless told otherwise. */
export function buildReservation(
  owner_id: string,
  { actor = owner_id, ...fields }: Partial<Reservation> = {},
): Reservation {
  return {
    owner_id,
    action: 'reserve',
    actor,
    credits: 75,
    lasting_s: 15 * 60,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    reason: 'Refactoring',
    ...fields,
  }
}

export async function buildHold(
  db: Kysely<DB>,
  owner_id: string,
  fields: Partial<Reservation> = {},
): Promise<Hold> {
  const { hold, outcome } = await decideOne(db, buildReservation(owner_id, fields))
  if (!hold) throw new Error(`Nothing was reserved: ${outcome}`)
  return hold
}

/** Settles a hold by a person who may spend, at no cost unless told otherwise. */
export function settleHold(
  db: Kysely<DB>,
  owner_id: string,
  hold: Pick<Hold, 'id'> | null,
  fields: Partial<Settlement>,
): Promise<SpendOutcome> {
  const asked = { owner_id, actor: owner_id, occurred_at: new Date(), hold_id: hold?.id ?? '' }
  return decideOne(db, { ...asked, action: 'settle', may_spend: true, credits: 0, ...fields })
}
