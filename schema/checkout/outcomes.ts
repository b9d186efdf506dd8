import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { preparedAs } from '../database/prepared.ts'
import type { DB } from '../database/types.ts'
import { unsettledStates } from './intents.ts'

/** What became of a checkout whose session we know. */
export interface IntentOutcome {
  readonly id: string
  readonly stripe_session_id: string
  readonly state: 'settled' | 'awaiting_payment' | 'failed' | 'expired'
  /** Left out, the one that is there stays, if the intent is not settled. */
  readonly failure_reason?: string
}

/**
 * Records what became of checkouts. The caller holds the intents' rows, and grants in the same transaction what the settled ones
 * bring; one that was settled before stays so.
 */
export async function recordOutcomes(
  trx: DatabaseTransaction,
  outcomes: readonly IntentOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  const isSettled = sql<boolean>`outcome.state = 'settled'`
  await trx
    .updateTable('checkout_intents as intent')
    .from(
      sql<IntentOutcome>`unnest(
        ${outcomes.map(({ id }) => id)}::uuid[], ${outcomes.map(({ stripe_session_id }) => stripe_session_id)}::text[],
        ${outcomes.map(({ state }) => state)}::text[],
        ${outcomes.map(({ failure_reason }) => failure_reason ?? null)}::text[])`.as<'outcome'>(
        sql`outcome (id, stripe_session_id, state, failure_reason)`,
      ),
    )
    .set({
      state: sql`outcome.state`,
      stripe_session_id: sql`outcome.stripe_session_id`,
      settled_at: sql`CASE WHEN ${isSettled} THEN clock_timestamp() END`,
      failure_reason: sql`CASE WHEN NOT ${isSettled} THEN coalesce(outcome.failure_reason, intent.failure_reason) END`,
      updated_at: sql`now()`,
    })
    .whereRef('intent.id', '=', 'outcome.id')
    .where(sql<boolean>`(${isSettled} OR intent.state <> 'settled')`)
    .modifyEnd(preparedAs('record_outcomes'))
    .execute()
}

/** The payment has arrived. */
export async function settleIntent(
  trx: DatabaseTransaction,
  intent: { readonly id: string; readonly stripe_session_id: string },
): Promise<void> {
  await recordOutcomes(trx, [{ ...intent, state: 'settled' }])
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
