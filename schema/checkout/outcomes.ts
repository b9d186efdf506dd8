import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { preparedText } from '../database/prepared.ts'
import type { DB } from '../database/types.ts'
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
 * Records what became of checkouts. The caller holds the intents' rows, and grants in the same transaction
 * what the settled ones bring; one that was settled before stays so.
 */
export async function recordOutcomes(
  trx: DatabaseTransaction,
  outcomes: readonly IntentOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  const all = <Value>(pick: (outcome: IntentOutcome) => Value) => outcomes.map(pick)
  await recordByIds(trx, [
    all(({ id }) => id),
    all(({ stripe_session_id }) => stripe_session_id),
    all(({ state }) => state),
    all(({ failure }) => failure?.failure_code ?? null),
    all(({ failure }) => failure?.failure_reason ?? null),
  ])
}

const recordByIds = preparedText(
  'record_outcomes',
  `UPDATE checkout_intents intent
   SET state = outcome.state, stripe_session_id = outcome.stripe_session_id,
     settled_at = CASE WHEN outcome.state = 'settled' THEN clock_timestamp() END,
     failure_code = CASE WHEN outcome.state <> 'settled' THEN coalesce(outcome.failure_code, intent.failure_code) END,
     failure_reason = CASE WHEN outcome.state <> 'settled' THEN coalesce(outcome.failure_reason, intent.failure_reason) END,
     updated_at = now()
   FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) AS outcome (id, stripe_session_id, state, failure_code, failure_reason)
   WHERE intent.id = outcome.id AND (outcome.state = 'settled' OR intent.state <> 'settled')`,
)

/** The payment has arrived. */
export async function settleIntent(
  trx: DatabaseTransaction,
  intent: { readonly id: string; readonly stripe_session_id: string },
): Promise<void> {
  await recordOutcomes(trx, [{ ...intent, state: 'settled' }])
}

/**
 * Fails a checkout: the bank refused its first payment for good, or a person has to look at it. Another one
 * may be opened. A later payment settles it all the same.
 */
export async function failUnfinishedIntent(
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

/**
 * Makes a checkout what Stripe says of it, after forged news: the one way back from `settled`. Without a
 * session it waits for the one that it may have. It is claimed at once. The caller holds the intent's row,
 * and takes the credits back in the same transaction.
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
      failure_code: null,
      failure_reason: null,
      withdrawn_at: intent.now,
      next_try_at: intent.now,
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
