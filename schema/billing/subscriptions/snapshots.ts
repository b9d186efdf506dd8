import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB, PaidInvoiceLines, Subscriptions } from '../../database/types.ts'
import { cleanRecord } from '../../inbox/claim/claimable.ts'
import type { Subscription } from './subscriptions.ts'

type Row = Selectable<Subscriptions>

/** The terms of a checkout and its owner; they never change. */
export type SubscriptionTerms = Pick<
  Row,
  'intent_id' | 'user_id' | 'owner_id' | 'plan_type' | 'currency' | 'credits_per_seat'
>

/** What we decide beside what Stripe has. */
type OwnFields =
  | keyof typeof cleanRecord
  | 'replaced_by'
  | 'unused_refund_id'
  | 'unused_refund_invoice'
  | 'unused_refund_minor'
  | 'sync_failed_at'
  | 'next_try_at'
  | 'is_unfinished'
  | 'livemode'
  | 'created_at'
  | 'updated_at'

/** A subscription as Stripe had it at one moment. */
export type SubscriptionSnapshot = Omit<Row, keyof SubscriptionTerms | OwnFields | 'pending_lines'> & {
  /** JSON. */
  readonly pending_lines: string
}

export async function lockSubscription(
  trx: DatabaseTransaction,
  id: string,
): Promise<Subscription | undefined> {
  return trx
    .selectFrom('subscriptions')
    .selectAll()
    .where('stripe_subscription_id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Saves a snapshot, and when to sync it without an event. The caller has locked the row, if there is one, and
 * checked that it is older.
 */
export async function saveSubscription(
  trx: DatabaseTransaction,
  terms: SubscriptionTerms,
  snapshot: SubscriptionSnapshot & { readonly next_try_at: Date },
): Promise<Subscription> {
  return trx
    .insertInto('subscriptions')
    .values({ ...terms, ...snapshot })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'stripe_subscription_id'])
        .doUpdateSet({ ...snapshot, ...cleanRecord, sync_failed_at: null, updated_at: sql`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * No further try can bring the subscription up to date; a person has to see to it. An event about it tries
 * once more.
 */
export async function failSubscriptionSync(
  db: Kysely<DB>,
  failed: { readonly id: string; readonly reason: string; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ sync_failed_at: failed.now, last_error: failed.reason, updated_at: sql`now()` })
    .where('stripe_subscription_id', '=', failed.id)
    .execute()
}

/**
 * Makes an owner's subscriptions due, also one that could not be synced: its owner was deleted, and it ends.
 * Returns their ids.
 */
export async function makeSubscriptionsDue(
  trx: DatabaseTransaction,
  { owner_id, now }: { readonly owner_id: string; readonly now: Date },
): Promise<string[]> {
  const due = await trx
    .updateTable('subscriptions')
    .set({ ...cleanRecord, sync_failed_at: null, next_try_at: now, updated_at: sql`now()` })
    .where('owner_id', '=', owner_id)
    .where('is_unfinished', '=', sql.lit(true))
    .returning('stripe_subscription_id')
    .execute()
  return due.map(({ stripe_subscription_id }) => stripe_subscription_id)
}

/**
 * Saves paid lines. A paid invoice never changes, so one that is stored already is not written again; but
 * what we take for the plan's line may, when an item was taken for the plan that is none.
 */
export async function savePaidLines(
  trx: DatabaseTransaction,
  lines: readonly Insertable<PaidInvoiceLines>[],
): Promise<void> {
  if (lines.length === 0) return
  await trx
    .insertInto('paid_invoice_lines')
    .values(lines)
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'stripe_invoice_id', 'kind', 'starts_at'])
        .doUpdateSet(({ ref }) => ({
          ends_at: ref('excluded.ends_at'),
          seats: ref('excluded.seats'),
          seats_before: ref('excluded.seats_before'),
          amount_minor: ref('excluded.amount_minor'),
        }))
        .where(
          sql<boolean>`(paid_invoice_lines.ends_at, paid_invoice_lines.seats, paid_invoice_lines.seats_before, paid_invoice_lines.amount_minor)
            IS DISTINCT FROM (excluded.ends_at, excluded.seats, excluded.seats_before, excluded.amount_minor)`,
        ),
    )
    .execute()
}

/** Every subscription that an owner ever had, and every line that was paid for them. */
export async function listSubscriptionsWithLines(
  db: Kysely<DB>,
  owner_id: string,
): Promise<{ subscriptions: Subscription[]; lines: Selectable<PaidInvoiceLines>[] }> {
  const subscriptions = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .execute()
  const ids = subscriptions.map((subscription) => subscription.stripe_subscription_id)
  const lines =
    ids.length === 0
      ? []
      : await db
          .selectFrom('paid_invoice_lines')
          .selectAll()
          .where('owner_id', '=', owner_id)
          .where('stripe_subscription_id', 'in', ids)
          .execute()
  return { subscriptions, lines }
}

/** What an invoice took from a card or an account, in minor units. */
export async function findAmountPaid(
  db: Kysely<DB>,
  { owner_id, invoice_id }: { readonly owner_id: string; readonly invoice_id: string },
): Promise<number> {
  const line = await db
    .selectFrom('paid_invoice_lines')
    .select('amount_paid_minor')
    .where('owner_id', '=', owner_id)
    .where('stripe_invoice_id', '=', invoice_id)
    .limit(1)
    .executeTakeFirst()
  return line?.amount_paid_minor ?? 0
}
