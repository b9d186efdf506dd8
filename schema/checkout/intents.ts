import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Currency } from '../catalogue/currency.ts'
import type { CheckoutIntents, DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'

export type CheckoutIntent = Selectable<CheckoutIntents>
export type IntentState = CheckoutIntent['state']

/** What is promised to the buyer at this moment, in credits and minor units. */
export interface NewCheckoutIntent extends Owner {
  /** A fresh UUID; also Stripe's idempotency key and the session's `client_reference_id`. */
  readonly id: string
  readonly kind: CheckoutIntent['kind']
  /** Who pays and may watch it land. */
  readonly user_id: string
  readonly credits: number
  readonly amount_minor: number
  readonly currency: Currency
  /** When the sweep should look whether it came to anything. */
  readonly sweep_at: Date
}

/** States that something can still happen to without anybody's doing. */
export const unsettledStates = [
  'created',
  'open',
  'awaiting_payment',
] as const satisfies readonly IntentState[]

/** Writes the intent down; must be committed before Stripe is called. */
export async function insertIntent(db: Kysely<DB>, intent: NewCheckoutIntent): Promise<void> {
  await db.insertInto('checkout_intents').values(intent).execute()
}

/**
 * Notes which Stripe session the intent became. The session's own events may have been faster and settled it, so a state
 * other than `created` is left alone.
 */
export async function attachSession(
  db: Kysely<DB>,
  intent: { id: string; stripe_session_id: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({
      stripe_session_id: intent.stripe_session_id,
      state: sql`CASE state WHEN 'created' THEN 'open' ELSE state END`,
      updated_at: sql`now()`,
    })
    .where('id', '=', intent.id)
    .where((eb) =>
      eb.or([eb('stripe_session_id', 'is', null), eb('stripe_session_id', '=', intent.stripe_session_id)]),
    )
    .execute()
}

/** Notes that Stripe refused to open a session, so that nobody waits for it. */
export async function failIntent(
  db: Kysely<DB>,
  intent: { id: string; failure_reason: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ state: 'failed', failure_reason: intent.failure_reason, updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .where('state', '=', 'created')
    .execute()
}

/** The caller's own intent behind a session; somebody else's is as good as missing. */
export async function findIntentBySession(
  db: Kysely<DB>,
  session: { stripe_session_id: string; user_id: string },
): Promise<CheckoutIntent | undefined> {
  return db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('stripe_session_id', '=', session.stripe_session_id)
    .where('user_id', '=', session.user_id)
    .executeTakeFirst()
}

export async function findIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return db.selectFrom('checkout_intents').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads the intent and keeps everybody else from changing it until the transaction ends. */
export async function lockIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return db.selectFrom('checkout_intents').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}
