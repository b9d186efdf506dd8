import { type Insertable, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { findRow } from '../../database/find-rows.ts'
import type { CheckoutIntents, DB } from '../../database/types.ts'
import type { Claimable } from '../../inbox/claim/claimable.ts'
import { kindOf } from '../../ledger/accounts.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'

export type CheckoutIntent = Selectable<CheckoutIntents>
export type IntentState = CheckoutIntent['state']

/** An order. Its credits, price and trial follow from the offer: the database writes them into the row. */
export interface NewCheckoutIntent {
  /** A fresh UUID; also Stripe's idempotency key and the session's `client_reference_id`. */
  readonly id: string
  /** Who pays, and may see its status. */
  readonly user_id: string
  /** Null for a plan whose organization is created when it is paid. */
  readonly owner_id: string | null
  readonly offer_id: number
  /** Seats of a plan, else credits. */
  readonly quantity: number
  /** Asked for; the offer may grant fewer. */
  readonly trial_days?: number
  /** By the product's clock, which tells later how long it has waited for its outcome. */
  readonly created_at: Date
  /** When it is claimed, to fetch its outcome. */
  readonly next_try_at: Date
  /** What the organization will be called that is created when the plan is paid; null when not asked for. */
  readonly organization_name?: string | null
  /** The buyer's own plan that ends when an organization's is paid; null when it goes on, or there is none. */
  readonly ends_subscription_id?: string | null
}

export interface CheckoutFailure {
  /** What code decides by. */
  readonly failure_code: NonNullable<CheckoutIntent['failure_code']>
  /** The detail, which support reads: see `failureOf`. */
  readonly failure_reason: string
}

/**
 * A checkout that failed with one of these needs no work by support: the buyer may try again. The index
 * `checkout_intents_failed` leaves them out.
 */
export const refusedByBank = [
  'payment_failed',
  'first_payment_failed',
  'trial_used',
] as const satisfies readonly CheckoutFailure['failure_code'][]

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
export async function insertIntent(db: Kysely<DB>, intent: NewCheckoutIntent): Promise<CheckoutIntent> {
  return insertionOf(db, intent).returningAll().executeTakeFirstOrThrow()
}

/**
 * The same for a request that may have been made before under the same id, which a crash or a lost answer
 * ended half way. Undefined: that checkout can be opened no more.
 */
export async function insertOrFindIntent(
  db: Kysely<DB>,
  intent: NewCheckoutIntent,
): Promise<CheckoutIntent | undefined> {
  const inserted = await insertionOf(db, intent)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
  const known = inserted ?? (await findIntent(db, intent.id))
  return known?.state === 'created' || known?.state === 'open' ? known : undefined
}

/**
 * An order that was never opened as a checkout, because its subscription was made at Stripe by hand: an
 * invoice has paid it already.
 */
export async function insertPaidOrder(
  trx: DatabaseTransaction,
  order: Omit<NewCheckoutIntent, 'next_try_at'> & {
    readonly stripe_customer_id: string
    readonly stripe_invoice_id: string
  },
): Promise<CheckoutIntent> {
  const { created_at } = order
  const settled = { ...order, state: 'settled' as const, settled_at: created_at, next_try_at: created_at }
  return insertionOf(trx, settled).returningAll().executeTakeFirstOrThrow()
}

/** The columns that are missing are those that follow from the offer. */
function insertionOf(db: Kysely<DB>, order: Partial<Insertable<CheckoutIntents>>) {
  return db.insertInto('checkout_intents').values(order as Insertable<CheckoutIntents>)
}

/**
 * Records what Stripe is asked for, without the customer, as JSON: a second try of the same checkout asks for
 * exactly the same.
 */
export async function recordParams(
  trx: DatabaseTransaction,
  { id, session_params }: { readonly id: string; readonly session_params: string },
): Promise<void> {
  await trx.updateTable('checkout_intents').set({ session_params }).where('id', '=', id).execute()
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

export function findIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return findRow(db, 'checkout_intents', 'id', id)
}

/** The order that an invoice has paid, when no checkout did. */
export function findIntentOfInvoice(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return findRow(db, 'checkout_intents', 'stripe_invoice_id', id)
}

/** Every purchase of credits that an owner has paid. */
export async function listSettledPurchases(
  db: Kysely<DB>,
  owner_id: string,
): Promise<Pick<CheckoutIntent, 'id' | 'owner_id' | 'credits' | 'amount_minor'>[]> {
  return selectIntentsOf(db, owner_id)
    .select(['id', 'owner_id', 'credits', 'amount_minor'])
    .where('kind', '=', 'credit_purchase')
    .where('state', '=', 'settled')
    .execute()
}

/** An owner's checkouts, found by an index. What a person buys for themselves they pay themselves. */
function selectIntentsOf(db: Kysely<DB>, owner_id: string) {
  const query = db.selectFrom('checkout_intents')
  return kindOf(owner_id) === 'user'
    ? query.where('user_id', '=', owner_id).where('owner_id', '=', owner_id)
    : query.where('owner_id', '=', owner_id)
}

export async function lockIntent(db: Kysely<DB>, id: string): Promise<CheckoutIntent | undefined> {
  return db.selectFrom('checkout_intents').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The terms of a checkout: what is granted to whom for which amount, and what became of it. */
export type CheckoutTerms = Pick<
  CheckoutIntent,
  | 'id'
  | 'kind'
  | 'state'
  | 'owner_id'
  | 'credits'
  | 'amount_minor'
  | 'currency'
  | 'stripe_session_id'
  | 'stripe_invoice_id'
>

/** The intent, when nothing was granted for it and its buyer or its recipient was deleted. */
export async function findUnsettledOfDeleted(
  db: Kysely<DB>,
  id: string,
): Promise<CheckoutIntent | undefined> {
  return db
    .selectFrom('checkout_intents as intent')
    .selectAll('intent')
    .where('intent.id', '=', id)
    .where('intent.state', '<>', 'settled')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deleted_owners as deleted')
          .select('deleted.owner_id')
          .where(sql<boolean>`deleted.owner_id IN (intent.user_id, intent.owner_id)`),
      ),
    )
    .executeTakeFirst()
}

/**
 * Whether a checkout that is not settled promises a trial that its buyer has had meanwhile, by another page. In a
 * transaction the buyer's checkouts are decided one after the other.
 */
export async function isTrialUsed(
  db: Kysely<DB>,
  { id, user_id, trial_days }: Pick<CheckoutIntent, 'id' | 'user_id' | 'trial_days'>,
): Promise<boolean> {
  if (trial_days === 0) return false
  if (db.isTransaction) await sql`SELECT FROM users WHERE clerk_id = ${user_id} FOR NO KEY UPDATE`.execute(db)
  // One snapshot: another job may have settled this very order since the caller has read it.
  const { rows } = await sql<{ is_used: boolean }>`
    SELECT has_ever_subscribed(${user_id}) AND state <> 'settled' AS is_used FROM checkout_intents WHERE id = ${id}
  `.execute(db)
  return rows[0]?.is_used === true
}

/** Makes a buyer's open checkouts with a trial due, which closes their payment pages: they have had it now. */
export async function makeTrialsDue(
  trx: DatabaseTransaction,
  { user_id, now }: { readonly user_id: string; readonly now: Date },
): Promise<void> {
  await makeUnfinishedDue(trx, now).where('user_id', '=', user_id).where('trial_days', '>', 0).execute()
}

/** Makes the open checkouts of an owner and buyer who was deleted due, which closes their payment pages. */
export async function makeCheckoutsDue(
  trx: DatabaseTransaction,
  { owner_id, now }: { readonly owner_id: string; readonly now: Date },
): Promise<void> {
  await makeUnfinishedDue(trx, now)
    .where((eb) => eb.or([eb('user_id', '=', owner_id), eb('owner_id', '=', owner_id)]))
    .execute()
}

/** Of those checkouts that the caller names. */
function makeUnfinishedDue(trx: DatabaseTransaction, now: Date) {
  return trx
    .updateTable('checkout_intents')
    .set({ next_try_at: now, updated_at: sql`now()` })
    .where('is_unfinished', '=', sql.lit(true))
}
