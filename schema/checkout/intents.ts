import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Currency } from '../catalogue/currency.ts'
import type { BillingFrequency } from '../catalogue/plans.ts'
import type { Claimable } from '../claim/claimable.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import { preparedText } from '../database/prepared.ts'
import type { CheckoutIntents, DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'
import { inThisMode } from '../stripe/mode.ts'

export type CheckoutIntent = Selectable<CheckoutIntents>
export type IntentState = CheckoutIntent['state']

interface NewIntent {
  /** A fresh UUID; also Stripe's idempotency key and the session's `client_reference_id`. */
  readonly id: string
  /** Who pays, and may see its status. */
  readonly user_id: string
  readonly currency: Currency
  /** Minor units: what the checkout costs, or for a subscription one period of it. */
  readonly amount_minor: number
  /** Granted once, or for a subscription every billing month. */
  readonly credits: number
  /** By the product's clock, which tells later how long it has waited for its outcome. */
  readonly created_at: Date
  /** When it is claimed, to fetch its outcome. */
  readonly next_try_at: Date
}

export interface NewCreditPurchase extends NewIntent, Owner {
  readonly kind: 'credit_purchase'
}

export interface NewSubscriptionCheckout extends NewIntent {
  readonly kind: 'subscription'
  readonly owner_kind: Owner['owner_kind']
  /** Null for a Teams plan bought at sign-up: its organization is created when it is paid. */
  readonly owner_id: string | null
  readonly plan_type: 'pro' | 'teams'
  readonly billing_frequency: BillingFrequency
  readonly seats: number
  readonly credits_per_seat: number
  readonly trial_days: number
  /** What the organization will be called that is created when the plan is paid; null when not asked for. */
  readonly organization_name?: string | null
  /** The buyer's own plan that ends when a Teams plan is paid; null when it goes on, or there is none. */
  readonly ends_subscription_id?: string | null
  /**
   * What Stripe is asked for, as JSON without the customer; a second try of the same checkout asks for
   * exactly the same.
   */
  readonly session_params?: string
}

/** The terms at this moment, in credits and minor units. */
export type NewCheckoutIntent = NewCreditPurchase | NewSubscriptionCheckout

export interface CheckoutFailure {
  /** What code decides by. */
  readonly failure_code: NonNullable<CheckoutIntent['failure_code']>
  /** The detail, in words that support reads. */
  readonly failure_reason: string
}

/**
 * A checkout that failed with one of these needs no work by support: the buyer may try again. The index
 * `checkout_intents_failed` leaves them out.
 */
export const refusedByBank = [
  'payment_failed',
  'first_payment_failed',
] as const satisfies readonly CheckoutFailure['failure_code'][]

/** Who receives what was bought; null while its organization has not been created. */
export function recipientOf(intent: Pick<CheckoutIntent, 'owner_kind' | 'owner_id'>): Owner | null {
  return intent.owner_id === null ? null : { owner_kind: intent.owner_kind, owner_id: intent.owner_id }
}

/** States of an intent that Stripe may still settle, fail or expire: the column `is_unfinished`. */
export const unfinishedStates = [
  'created',
  'open',
  'awaiting_payment',
] as const satisfies readonly IntentState[]

export const claimableIntents = {
  table: 'checkout_intents',
  key: ['id'],
  unfinished: sql<SqlBool>`is_unfinished`,
} as const satisfies Claimable

export function isUnfinished({ state }: Pick<CheckoutIntent, 'state'>): boolean {
  return (unfinishedStates as readonly IntentState[]).includes(state)
}

/** Must be committed before Stripe is called. */
export async function insertIntent(db: Kysely<DB>, intent: NewCheckoutIntent): Promise<void> {
  await db.insertInto('checkout_intents').values(intent).execute()
}

/**
 * The same for a request that may have been made before under the same id, which a crash or a lost answer
 * ended half way. `over`: that checkout can be opened no more.
 */
export async function insertOrFindIntent(
  db: Kysely<DB>,
  intent: NewCheckoutIntent,
): Promise<'open' | 'over'> {
  const inserted = await db
    .insertInto('checkout_intents')
    .values(intent)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return 'open'
  const known = await findIntent(db, intent.id)
  return known?.state === 'created' || known?.state === 'open' ? 'open' : 'over'
}

/**
 * An order that was never opened as a checkout, because its subscription was made at Stripe by hand: an
 * invoice has paid it already.
 */
export async function insertPaidOrder(
  trx: DatabaseTransaction,
  order: Omit<NewSubscriptionCheckout, 'next_try_at' | 'session_params'> & {
    readonly owner_id: string
    readonly stripe_customer_id: string
    readonly stripe_invoice_id: string
  },
): Promise<CheckoutIntent> {
  const { created_at } = order
  return trx
    .insertInto('checkout_intents')
    .values({ ...order, state: 'settled', settled_at: created_at, next_try_at: created_at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Records which customer pays, before the session is opened, so that a lost session can be found among
 * theirs.
 */
export async function recordCustomer(
  db: Kysely<DB>,
  intent: { id: string; stripe_customer_id: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ stripe_customer_id: intent.stripe_customer_id, updated_at: sql`now()` })
    .where('id', '=', intent.id)
    .execute()
}

/**
 * Records which Stripe session the intent became. The session's own events may have been faster and settled
 * it, so a state other than `created` is left alone. Returns the state it is in now; undefined when it
 * belongs to another session.
 */
export async function attachSession(
  db: Kysely<DB>,
  intent: { id: string; stripe_session_id: string },
): Promise<IntentState | undefined> {
  const attached = await db
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
    .returning('state')
    .executeTakeFirst()
  return attached?.state
}

/** Records that Stripe refused to open a session, so that no further attempt waits for it. */
export async function failIntent(
  db: Kysely<DB>,
  { id, failure_code, failure_reason }: CheckoutFailure & { readonly id: string },
): Promise<void> {
  await db
    .updateTable('checkout_intents')
    .set({ state: 'failed', failure_code, failure_reason, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'created')
    .execute()
}

/** The caller's own intent behind a session; undefined for one of another user. */
export async function findIntentBySession(
  db: Kysely<DB>,
  session: { stripe_session_id: string; user_id: string },
): Promise<CheckoutIntent | undefined> {
  return db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('stripe_session_id', '=', session.stripe_session_id)
    .where('user_id', '=', session.user_id)
    .where(inThisMode('checkout_intents'))
    .executeTakeFirst()
}

export async function findIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return db.selectFrom('checkout_intents').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The order that an invoice has paid, when no checkout did. */
export async function findIntentOfInvoice(
  db: Kysely<DB>,
  stripeInvoiceId: string,
): Promise<CheckoutIntent | undefined> {
  return db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('stripe_invoice_id', '=', stripeInvoiceId)
    .executeTakeFirst()
}

/** Every purchase of credits that an owner has paid. */
export async function listSettledPurchases(
  db: Kysely<DB>,
  owner: Owner,
): Promise<Pick<CheckoutIntent, 'id' | 'owner_id' | 'credits' | 'amount_minor'>[]> {
  return selectIntentsOf(db, owner)
    .select(['id', 'owner_id', 'credits', 'amount_minor'])
    .where('kind', '=', 'credit_purchase')
    .where('state', '=', 'settled')
    .execute()
}

/** An owner's checkouts, found by an index. What a person buys for themselves they pay themselves. */
function selectIntentsOf(db: Kysely<DB>, { owner_kind, owner_id }: Owner) {
  const query = db.selectFrom('checkout_intents').where('owner_kind', '=', owner_kind)
  return owner_kind === 'user'
    ? query.where('user_id', '=', owner_id).where('owner_id', '=', owner_id)
    : query.where('owner_id', '=', owner_id)
}

/** Reads the intent and locks it until the transaction ends. */
export async function lockIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return db.selectFrom('checkout_intents').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

const intentColumns = [
  'id',
  'kind',
  'state',
  'owner_kind',
  'owner_id',
  'credits',
  'amount_minor',
  'currency',
  'stripe_session_id',
  'stripe_invoice_id',
] as const satisfies readonly (keyof CheckoutIntent)[]

/** The terms of a checkout: what is granted to whom for which amount, and what became of it. */
export type CheckoutTerms = Pick<CheckoutIntent, (typeof intentColumns)[number]>

/** Locks several, in the order of their ids, so that concurrent lockers cannot deadlock. */
export async function lockIntents(db: Kysely<DB>, ids: readonly string[]): Promise<CheckoutTerms[]> {
  return lockByIds(db, [ids])
}

/**
 * Locks those of purchases that some of Stripe's events are about, which the caller has locked in a statement
 * before: what is to be applied of them needs them. So events and intents can be asked for together.
 */
export async function lockIntentsOfEvents(
  db: Kysely<DB>,
  eventIds: readonly string[],
): Promise<CheckoutTerms[]> {
  return lockByEvents(db, [eventIds])
}

const lockByIds = preparedText<CheckoutTerms>(
  'lock_intents',
  `SELECT ${intentColumns.join()} FROM checkout_intents WHERE id = ANY ((SELECT $1::uuid[])::uuid[]) ORDER BY id FOR UPDATE`,
)
/** The state is not asked for in `WHERE`: an index of the state might be read whole. */
const lockByEvents = preparedText<CheckoutTerms>(
  'lock_intents_of_events',
  `SELECT ${intentColumns.join()} FROM checkout_intents
   WHERE kind = 'credit_purchase' AND id = ANY (ARRAY(
     SELECT CASE WHEN state = 'received' AND client_reference_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
       THEN client_reference_id::uuid END
     FROM inbox_events WHERE source = 'stripe' AND id = ANY ($1::text[])))
   ORDER BY id FOR UPDATE`,
)
