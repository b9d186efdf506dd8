import type Stripe from 'stripe'
import { noSuch } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredSubscription } from '../state.ts'
import { defaultMethod } from './customer.ts'
import { activeDiscounts } from './discount.ts'
import { emit } from './event.ts'
import { finalizeUnlessPaused, recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId, subscriptionOf } from './invoice.ts'
import { itemLines, pendingItems } from './invoice-line.ts'
import { payInvoice } from './pay-invoice.ts'
import { hasEnded } from './subscription.ts'
import { releaseSchedule } from './subscription-schedule.ts'

export type Cancellation = {
  invoice_now: boolean
  details: Partial<Stripe.Subscription.CancellationDetails>
  cause: Cause
}

/** Ends a subscription now. Its invoices and drafts stay, and are not collected automatically. */
export function cancelSubscription(
  service: Service,
  given: StoredSubscription,
  { invoice_now, details, cause }: Cancellation,
): StoredSubscription {
  const { store, clock } = service
  if (hasEnded(given)) throw noSuch('subscription', given.id)
  const subscription = releaseSchedule(service, given, cause)
  const now = clock.now()
  // "pending prorations are removed if invoice_now and prorate are both set to false" (the SDK:
  // `SubscriptionsResource.cancel`).
  if (!invoice_now) {
    const items = pendingItems(service, subscription).filter((item) => item.parent !== null && item.proration)
    for (const item of items) {
      store.invoice_items.remove(item.id)
      emit(service, 'invoiceitem.deleted', item, { cause })
    }
  }
  for (const invoice of store.invoices.oldestFirst()) {
    if (!invoice.auto_advance || subscriptionOf(invoice) !== subscription.id) continue
    store.invoices.put({
      ...invoice,
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    })
  }
  // Manual items wait for another invoice of the customer.
  const pending = pendingItems(service, subscription).filter(({ parent }) => parent !== null)
  const final_invoice = invoice_now && pending.length > 0 ? newInvoiceId() : null
  const canceled = store.subscriptions.put({
    ...subscription,
    cancel_at_period_end: false,
    canceled_at: subscription.canceled_at ?? now,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...subscription.cancellation_details,
      reason: 'cancellation_requested',
      ...details,
    },
    ended_at: now,
    latest_invoice: final_invoice ?? subscription.latest_invoice,
    status: 'canceled',
  })
  emit(service, 'customer.subscription.deleted', canceled, { cause })
  if (final_invoice) invoicePending(service, { subscription: canceled, id: final_invoice, pending, cause })
  return canceled
}

type Pending = {
  subscription: StoredSubscription
  id: string
  pending: ReturnType<typeof pendingItems>
  cause: Cause
}

/** Settles pending prorations: a credit goes to the customer's balance, a debt is collected. */
function invoicePending(service: Service, { subscription, id, pending, cause }: Pending): void {
  const now = service.clock.now()
  const draft = newInvoice(service, {
    id,
    billing_reason: 'subscription_update',
    currency: subscription.currency,
    customer: subscription.customer,
    discounts: activeDiscounts(service, subscription, now),
    lines: itemLines(id, pending),
    proration_date: now,
    subscription,
  })
  const open = finalizeUnlessPaused(service, recordDraft(service, draft, cause), { cause })
  if (open.status !== 'open') return
  const customer = service.store.customers.get(subscription.customer)
  const method = defaultMethod(service, { subscription, customer })
  payInvoice(service, open, { method, is_off_session: true, is_automatic: true, cause })
}
