import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner } from './accounts.ts'
import { callLedger } from './call.ts'
import { usageKey } from './keys.ts'

export interface Usage extends Owner {
  /** Whole credits, at least 1. */
  readonly credits: number
  /** The reporter's own key; a retry with it is not charged again. */
  readonly idempotency_key: string
  readonly occurred_at: Date
  readonly actor: string
  readonly reason: string
}

/** `plan` and `purchased` are the balances after the decision; on a refusal they say what was there. */
export type UsageResult = {
  readonly outcome: 'posted' | 'replayed' | 'refused'
  readonly transfer_id: number | null
  readonly plan: number
  readonly purchased: number
}

/**
 * Spends credits, plan credits first, or refuses, in one statement. It is refused when both accounts together do not cover it, so
 * a debt of one account blocks as many credits of the other. Throws IdempotencyConflictError when the key was used for something
 * else.
 */
export async function spendCredits(db: Kysely<DB>, usage: Usage): Promise<UsageResult> {
  const [row] = await callLedger(
    db,
    sql<UsageResult>`
      SELECT outcome, transfer_id, plan, purchased FROM ledger_use(
        ${usage.owner_kind}, ${usage.owner_id}, ${usage.credits}, ${usageKey(usage, usage.idempotency_key)},
        ${usage.occurred_at}, ${usage.actor}, ${usage.reason})`,
  )
  if (!row) throw new Error('The ledger did not decide a usage')
  return row
}
