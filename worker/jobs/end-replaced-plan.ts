import { saveUnusedRefund } from '../../schema/billing/subscriptions/replaced.ts'
import { findSubscription, type Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { endSubscription } from '../../schema/vendors/stripe/end-subscription.ts'
import { refundUnusedPart } from '../../schema/vendors/stripe/refund-unused-part.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'

/** Ends a plan at Stripe in whose place a Teams plan was paid (decision 054). */
export async function endIfReplaced(
  { stripe }: Pick<WorkerDependencies, 'stripe'>,
  { replaced_by, ended_at, stripe_subscription_id: id }: Subscription,
): Promise<void> {
  if (replaced_by === null || ended_at) return
  await endSubscription(stripe, id, 'A Teams plan takes its place')
}

/**
 * Gives back to the card what was decided when such a plan ended. Each try finds what an earlier one did.
 * Stripe's event then writes the refund down at its charge.
 */
export async function refundIfReplaced(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
): Promise<void> {
  const subscription = await findSubscription(db, id)
  if (!subscription?.unused_refund_minor || subscription.unused_refund_id !== null) return
  const { unused_refund_minor: amount, unused_refund_invoice: invoice_id } = subscription
  if (invoice_id === null) return
  const refund = await refundUnusedPart(stripe, { subscription_id: id, invoice_id, amount })
  if (refund === 'no_payment') {
    throw new PermanentError('lacks', { what: 'payment_of_that_size' })
  }
  await retryTransaction(db, (trx) =>
    // One that can be made no more gives nothing back.
    saveUnusedRefund(
      trx,
      subscription,
      refund === 'refused' ? { unused_refund_minor: 0 } : { unused_refund_id: refund.id },
    ),
  )
}
