import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { type CheckoutFailure, unfinishedStates } from './intents.ts'

/** What became of a checkout whose session we know. */
export interface IntentOutcome {
  readonly id: string
  readonly stripe_session_id: string
  readonly state: 'settled' | 'awaiting_payment' | 'failed' | 'expired'
  /** Without it an unfinished intent keeps its failure. */
  readonly failure?: CheckoutFailure
}

/**
 * Records what became of a checkout. The caller holds the intent's row, and grants in the same transaction
 * what a settled one brings; one that was settled before stays so.
 */
export async function recordOutcome(
  trx: DatabaseTransaction,
  { id, stripe_session_id, state, failure }: IntentOutcome,
): Promise<void> {
  const isSettled = state === 'settled'
  await trx
    .updateTable('checkout_intents')
    .set({
      state,
      stripe_session_id,
      settled_at: isSettled ? sql`clock_timestamp()` : null,
      ...(isSettled ? { failure_code: null, failure_reason: null } : failure),
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .$if(!isSettled, (query) => query.where('state', '<>', 'settled'))
    .execute()
}

/**
 * Fails a checkout: Stripe opens no page for it, the bank refused its first payment for good, or a person has
 * to look at it. Another one may be opened. A later payment settles it all the same.
 */
export async function failIntent(
  db: Kysely<DB>,
  { id, failure_code, failure_reason }: CheckoutFailure & { readonly id: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ state: 'failed', failure_code, failure_reason, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', 'in', unfinishedStates)
    .execute()
}

/** Records the organization that was created for a Teams plan. */
export async function setOwner(
  trx: DatabaseTransaction,
  intent: { readonly id: string; readonly owner_id: string },
): Promise<void> {
  await trx
    .updateTable('checkout_intents')
    .set({ owner_id: intent.owner_id, updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .execute()
}
