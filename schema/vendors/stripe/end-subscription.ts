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
  await voidUnpaidInvoices(stripe, id)
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
 * An invoice of a subscription cannot be deleted, not even as a draft
 * (https://docs.stripe.com/api/invoices/delete), and only a finalized one can be voided
 * (https://docs.stripe.com/api/invoices/void). So a draft is finalized first: without `auto_advance` nothing
 * is collected (https://docs.stripe.com/api/invoices/finalize). One that costs nothing, or that a credit
 * balance covers, is paid by that.
 */
async function voidUnpaidInvoices(stripe: Stripe, subscription: string): Promise<void> {
  const drafts = await stripe.invoices.list({ subscription, status: 'draft', limit: 100 })
  for (const { id = '' } of drafts.data) {
    await changeFrom(stripe, id, 'draft', () => stripe.invoices.finalizeInvoice(id, { auto_advance: false }))
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
