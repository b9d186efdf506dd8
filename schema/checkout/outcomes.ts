import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import { unsettledStates } from './intents.ts'

/** The payment has arrived. The caller holds the intent's row, and grants in the same transaction. */
export async function settleIntent(
  trx: DatabaseTransaction,
  intent: { readonly id: string; readonly stripe_session_id: string },
): Promise<void> {
  await trx
    .updateTable('checkout_intents')
    .set({
      state: 'settled',
      stripe_session_id: intent.stripe_session_id,
      settled_at: sql`clock_timestamp()`,
      failure_reason: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', intent.id)
    .execute()
}

/** The other outcomes of a checkout whose session we know; a settled one stays settled. */
export async function closeUnpaidIntent(
  trx: DatabaseTransaction,
  intent: {
    readonly id: string
    readonly stripe_session_id: string
    readonly state: 'awaiting_payment' | 'failed' | 'expired'
    readonly failure_reason?: string
  },
): Promise<void> {
  const { id, ...outcome } = intent
  await trx
    .updateTable('checkout_intents')
    .set({ ...outcome, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '<>', 'settled')
    .execute()
}

/**
 * Ends a checkout that comes to nothing: the bank refused its first payment for good, or a person has to see to it. Another one may be
 * opened. Should money come in for it after all, it is settled nevertheless.
 */
export async function failUnsettledIntent(
  db: Kysely<DB>,
  intent: { readonly id: string; readonly failure_reason: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ state: 'failed', failure_reason: intent.failure_reason, updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .where('state', 'in', unsettledStates)
    .execute()
}

/**
 * Makes a checkout what Stripe says of it, after forged news: the one way back from `settled`. Without a session it waits for the one
 * that it may have. The sweep looks at it at once. The caller holds the intent's row, and takes the credits back in the same transaction.
 */
export async function withdrawOutcome(
  trx: DatabaseTransaction,
  intent: {
    readonly id: string
    readonly stripe_session_id: string | null
    readonly state: 'created' | 'open' | 'awaiting_payment' | 'expired'
    readonly now: Date
  },
): Promise<void> {
  await trx
    .updateTable('checkout_intents')
    .set({
      state: intent.state,
      stripe_session_id: intent.stripe_session_id,
      settled_at: null,
      failure_reason: null,
      withdrawn_at: intent.now,
      sweep_at: intent.now,
      updated_at: sql`now()`,
    })
    .where('id', '=', intent.id)
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
