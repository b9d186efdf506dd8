import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/types.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'
import type { CheckoutIntent, IntentState } from './intents.ts'

/** Who is to receive a plan, in the terms of the index `checkout_intents_one_subscription`. */
export interface Receiver {
  readonly user_id: string
  /** Null for an organization that is created when it is paid: then the buyer's id takes its place. */
  readonly owner_id: string | null
}

/** The one checkout of a plan that is still open for a receiver, if there is one. */
export async function findOpenCheckout(
  db: Kysely<DB>,
  receiver: Receiver,
): Promise<CheckoutIntent | undefined> {
  return db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('kind', '=', 'subscription')
    .where(sql<string>`coalesce(owner_id, user_id)`, '=', receiver.owner_id ?? receiver.user_id)
    .where(inThisMode('checkout_intents'))
    .where('is_unfinished', '=', sql.lit(true))
    .executeTakeFirst()
}

/** A user's latest intents whose payment page is unpaid by the last known state, newest first. */
export async function listOpenIntents(
  db: Kysely<DB>,
  request: { readonly user_id: string; readonly limit: number },
): Promise<CheckoutIntent[]> {
  return db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('user_id', '=', request.user_id)
    .where('state', '=', 'open')
    .where('stripe_session_id', 'is not', null)
    .where(inThisMode('checkout_intents'))
    .orderBy('created_at', 'desc')
    .limit(request.limit)
    .execute()
}

/**
 * Expires an intent that is still in the given state; false when it has left that state since it was read.
 */
export async function expireIntent(
  db: Kysely<DB>,
  intent: { readonly id: string; readonly state: IntentState },
): Promise<boolean> {
  const expired = await db
    .updateTable('checkout_intents')
    .set({ state: 'expired', updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .where('state', '=', intent.state)
    .returning('id')
    .executeTakeFirst()
  return expired !== undefined
}

/** Records that the call to open a session ended without an answer, so it is unknown whether there is one. */
export async function recordUncertainty(
  db: Kysely<DB>,
  intent: { readonly id: string; readonly failure_reason: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ failure_code: 'no_answer', failure_reason: intent.failure_reason, updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .where('state', '=', 'created')
    .execute()
}
