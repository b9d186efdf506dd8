import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '../../../schema/database/types.ts'
import { type Hold, type Reservation, spendCredits } from '../../../schema/ledger/spend/usage.ts'

/** Reserves credits of an owner, 75 for a quarter of an hour unless told otherwise. */
export async function buildHold(
  db: Kysely<DB>,
  owner_id: string,
  { actor = owner_id, ...fields }: Partial<Reservation> = {},
): Promise<Hold> {
  const [outcome] = await spendCredits(db, [
    {
      owner_id,
      action: 'reserve',
      actor,
      credits: 75,
      lasting_s: 15 * 60,
      idempotency_key: randomUUID(),
      occurred_at: new Date(),
      reason: 'Refactoring',
      ...fields,
    },
  ])
  if (!outcome?.hold) throw new Error(`Nothing was reserved: ${outcome?.outcome}`)
  return outcome.hold
}
