import Stripe from 'stripe'
import { isOver } from './statuses.ts'
import { releaseSchedule } from './subscription-schedule.ts'

/**
 * Ends a subscription at Stripe at once: nothing is charged for it any more, and no money goes back. Each
 * step finds what an earlier try has done. The cancellation comes last, so that one that is over needs
 * nothing.
 *
 * - The schedule is released first, because it could change the subscription meanwhile.
 * - Without `prorate` and `invoice_now`, cancelling makes no invoice, and removes pending prorations (the
 *   SDK: `SubscriptionsResource.cancel`).
 */
export async function endSubscription(stripe: Stripe, id: string, comment: string): Promise<void> {
  if (isOver(await stripe.subscriptions.retrieve(id))) return
  await releaseSchedule(stripe, id)
  await stopUnpaidInvoices(stripe, id)
  try {
    await stripe.subscriptions.cancel(id, {
      prorate: false,
      invoice_now: false,
      cancellation_details: { comment },
    })
  } catch (error) {
    // Another try may have been faster: Stripe does not cancel twice
    // (https://docs.stripe.com/api/subscriptions/cancel).
    if (!isRefusal(error) || !isOver(await stripe.subscriptions.retrieve(id))) throw error
  }
}

/**
 * An open invoice is voided. A draft cannot be (https://docs.stripe.com/api/invoices/void) nor be deleted
 * (https://docs.stripe.com/api/invoices/delete), and to finalize it could be refused, as without a location
 * (https://docs.stripe.com/tax/customer-locations), or use up a credit balance. Without `auto_advance` it stays a
 * draft: https://docs.stripe.com/invoicing/integration/automatic-advancement-collection
 */
async function stopUnpaidInvoices(stripe: Stripe, subscription: string): Promise<void> {
  const drafts = await stripe.invoices.list({ subscription, status: 'draft', limit: 100 })
  for (const { id = '' } of drafts.data) {
    await changeFrom(stripe, id, 'draft', () => stripe.invoices.update(id, { auto_advance: false }))
  }
  const open = await stripe.invoices.list({ subscription, status: 'open', limit: 100 })
  for (const { id = '' } of open.data) {
    await changeFrom(stripe, id, 'open', () => stripe.invoices.voidInvoice(id))
  }
}

/** A refusal is none when the invoice has moved on meanwhile: it was paid, or another try was faster. */
async function changeFrom(
  stripe: Stripe,
  id: string,
  status: Stripe.Invoice.Status,
  change: () => Promise<unknown>,
): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (!isRefusal(error) || (await stripe.invoices.retrieve(id)).status === status) throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError
}
