import type Stripe from 'stripe'
import type { StoredSubscription } from '../entities.ts'
import { noSuch } from '../errors.ts'
import { emit } from '../objects/event.ts'
import { newInvoice, newInvoiceId, subscriptionOf } from '../objects/invoice.ts'
import { itemList } from '../objects/subscription.ts'
import type { Cause, World } from '../world.ts'
import { defaultMethod } from './default-method.ts'
import { itemLines, pendingItems } from './invoice-lines.ts'
import { finalizeInvoice, recordDraft } from './open-invoice.ts'
import { payInvoice } from './pay-invoice.ts'
import { prorations } from './proration.ts'
import { releaseSchedule } from './schedule-change.ts'
import { isOver } from './update-subscription.ts'

export type Cancellation = {
  prorate: boolean
  invoice_now: boolean
  details: Partial<Stripe.Subscription.CancellationDetails>
  cause: Cause
}

/** Ends a subscription now. What is still owed stays owed, but Stripe no longer tries to collect it by itself. */
export function cancelSubscription(
  world: World,
  given: StoredSubscription,
  { prorate, invoice_now, details, cause }: Cancellation,
): StoredSubscription {
  const { store, clock } = world
  if (isOver(given)) throw noSuch('subscription', given.id)
  const subscription = releaseSchedule(world, given, cause)
  const now = clock.now()
  if (prorate && subscription.status !== 'trialing') {
    const none = { ...subscription, items: itemList(subscription.id, []) }
    for (const item of prorations(world, { before: subscription, after: none, at: now, restarts: false })) {
      store.invoice_items.put(item)
      emit(world, 'invoiceitem.created', item, { cause })
    }
  }
  for (const invoice of store.invoices.oldestFirst()) {
    if (invoice.status !== 'open' || subscriptionOf(invoice) !== subscription.id) continue
    if (invoice.auto_advance) {
      store.invoices.put({ ...invoice, auto_advance: false, next_payment_attempt: null })
    }
  }
  const pending = pendingItems(world, subscription.id)
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
  emit(world, 'customer.subscription.deleted', canceled, { cause })
  if (final_invoice) invoicePending(world, { subscription: canceled, id: final_invoice, pending, cause })
  return canceled
}

/** What was left over: a credit goes to the customer's balance, a debt is collected. */
function invoicePending(
  world: World,
  {
    subscription,
    id,
    pending,
    cause,
  }: {
    subscription: StoredSubscription
    id: string
    pending: ReturnType<typeof pendingItems>
    cause: Cause
  },
): void {
  const customer = world.store.customers.get(subscription.customer)
  if (!customer) throw new Error(`Customer ${subscription.customer} is gone.`)
  const now = world.clock.now()
  const draft = newInvoice(world, {
    id,
    billing_reason: 'subscription_update',
    customer,
    lines: itemLines(id, pending),
    period: { start: now, end: now },
    proration_date: now,
    subscription,
  })
  const open = finalizeInvoice(world, recordDraft(world, draft, cause), { cause })
  if (open.status !== 'open') return
  const method = defaultMethod(world, { subscription, customer })
  payInvoice(world, open, { method, is_off_session: true, is_automatic: true, cause })
}
