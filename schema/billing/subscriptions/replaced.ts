import { type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { Subscriptions } from '../../database/types.ts'
import { cleanRecord } from '../../inbox/claim/claimable.ts'
import type { CheckoutIntent } from '../checkout/intents.ts'
import type { Subscription } from './subscriptions.ts'

/**
 * Makes the buyer's own plan due to end, in whose place a Teams plan was paid (decision 054). One that is
 * over stays as it is, and so does one that is not the buyer's: the order is written by another process.
 */
export async function replacePlan(
  trx: DatabaseTransaction,
  intent: Pick<CheckoutIntent, 'id' | 'user_id' | 'ends_subscription_id'>,
  now: Date,
): Promise<void> {
  if (intent.ends_subscription_id === null) return
  await trx
    .updateTable('subscriptions')
    .set({
      ...cleanRecord,
      sync_failed_at: null,
      replaced_by: intent.id,
      next_try_at: now,
      updated_at: sql`now()`,
    })
    .where('stripe_subscription_id', '=', intent.ends_subscription_id)
    .where('owner_id', '=', intent.user_id)
    .where('ended_at', 'is', null)
    .where('replaced_by', 'is', null)
    .execute()
}

/** Has it decided now, where it waits for holds of which one was resolved. */
export async function makeUnusedRefundDue(
  trx: DatabaseTransaction,
  owner_id: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set({ next_try_at: now, updated_at: sql`now()` })
    .where('owner_id', '=', owner_id)
    .where('replaced_by', 'is not', null)
    .where('ended_at', 'is not', null)
    .where('unused_refund_minor', 'is', null)
    .execute()
}

/**
 * What its end gives back is decided once, in the transaction that records the end, or later when it cannot be
 * decided before. `unused_refund_id`: Stripe has the refund.
 */
export async function saveUnusedRefund(
  trx: DatabaseTransaction,
  { owner_id, stripe_subscription_id }: Pick<Subscription, 'owner_id' | 'stripe_subscription_id'>,
  values: Partial<
    Pick<
      Selectable<Subscriptions>,
      'unused_refund_minor' | 'unused_refund_invoice' | 'unused_refund_id' | 'next_try_at'
    >
  >,
): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set({ ...values, updated_at: sql`now()` })
    .where('owner_id', '=', owner_id)
    .where('stripe_subscription_id', '=', stripe_subscription_id)
    .execute()
}
