import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner } from './accounts.ts'
import { callLedger } from './call.ts'
import { settlementKey } from './keys.ts'

/**
 * Lets one of the owner's accounts pay the other's debt as far as it can, so that an account is below zero only when the whole
 * balance is. Called after every transfer that brings credits or takes some back; `cause` is that transfer's key. Returns the
 * credits that moved, usually zero.
 */
export async function settleDebt(
  db: Kysely<DB>,
  owner: Owner,
  cause: { idempotency_key: string; occurred_at: Date; event_id: string | null },
): Promise<number> {
  const [row] = await callLedger(
    db,
    sql<{ credits: number }>`
      SELECT ledger_settle_debt(${owner.owner_kind}, ${owner.owner_id}, ${settlementKey(cause.idempotency_key)},
        ${cause.occurred_at}, ${cause.event_id}) AS credits`,
  )
  return row?.credits ?? 0
}
