import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner } from './accounts.ts'
import { callLedger } from './call.ts'

/**
 * Moves what is left of an owner's plan credits to the house's `expired`, once per key. Returns the credits that expired, zero
 * when nothing was left. The account stays locked until the transaction ends, so that a grant posted next follows directly.
 */
export async function expirePlanCredits(
  db: Kysely<DB>,
  owner: Owner,
  expiry: {
    idempotency_key: string
    occurred_at: Date
    event_id: string | null
    actor: string
    reason: string
  },
): Promise<number> {
  const [row] = await callLedger(
    db,
    sql<{ credits: number }>`
      SELECT ledger_expire(${owner.owner_kind}, ${owner.owner_id}, ${expiry.idempotency_key}, ${expiry.occurred_at},
        ${expiry.event_id}, ${expiry.actor}, ${expiry.reason}) AS credits`,
  )
  return row?.credits ?? 0
}
