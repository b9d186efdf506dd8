import type { StoredSubscription } from '../entities.ts'
import type { Decline } from '../objects/charge.ts'
import { changedFields, emit } from '../objects/event.ts'
import { newInvoice, newInvoiceId } from '../objects/invoice.ts'
import { itemList } from '../objects/subscription.ts'
import type { Period } from '../objects/subscription-item.ts'
import { type Cause, nobody, type World } from '../world.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { collectInvoice } from './collect-invoice.ts'
import { defaultMethod } from './default-method.ts'
import { itemLines, pendingItems, periodLines } from './invoice-lines.ts'
import { periodOf, withPeriod } from './item-changes.ts'
import { finalizeInvoice, recordDraft } from './open-invoice.ts'
import { nextBoundary, recurrenceOf } from './period.ts'

/**
 * A period, or a trial, is over: the next one begins, is invoiced with whatever waited for an invoice, and is charged.
 * The subscription's new period stands before anybody knows whether it is paid, as at Stripe.
 */
export function renewSubscription(
  world: World,
  subscription: StoredSubscription,
  { forced_decline }: { forced_decline?: Decline | undefined } = {},
): StoredSubscription {
  const { store } = world
  const customer = store.customers.get(subscription.customer)
  if (!customer) throw new Error(`Customer ${subscription.customer} is gone.`)
  if (subscription.status === 'trialing' && lacksMethod(world, subscription)) {
    return cancelSubscription(world, subscription, {
      prorate: false,
      invoice_now: false,
      details: {},
      cause: nobody,
    })
  }
  const past = periodOf(subscription)
  const period = nextPeriod(subscription)
  const id = newInvoiceId()
  const renewed = store.subscriptions.put({
    ...subscription,
    items: itemList(subscription.id, withPeriod(subscription.items.data, period)),
    latest_invoice: id,
    status: subscription.status === 'trialing' ? 'active' : subscription.status,
  })
  const draft = newInvoice(world, {
    id,
    billing_reason: 'subscription_cycle',
    customer,
    lines: [
      ...itemLines(id, pendingItems(world, subscription.id)),
      ...periodLines(world, { invoice: id, subscription: renewed, period, is_trial: false }),
    ],
    period: past,
    proration_date: null,
    subscription,
  })
  const cause: Cause = nobody
  const recorded = recordDraft(world, draft, cause)
  emit(world, 'customer.subscription.updated', renewed, {
    cause,
    previous_attributes: changedFields(subscription, renewed),
  })
  const open = finalizeInvoice(world, recorded, { cause })
  if (open.status === 'open') collectInvoice(world, open, { is_automatic: true, forced_decline, cause })
  return store.subscriptions.get(subscription.id) ?? renewed
}

export function nextPeriod(subscription: StoredSubscription): Period {
  const { end } = periodOf(subscription)
  const [item] = subscription.items.data
  if (!item) throw new Error(`Subscription ${subscription.id} has no items.`)
  return { start: end, end: nextBoundary(subscription.billing_cycle_anchor, recurrenceOf(item.price), end) }
}

/** A trial that no card was asked for, of a subscription that shall not go on without one. */
function lacksMethod(world: World, subscription: StoredSubscription): boolean {
  const behavior = subscription.trial_settings?.end_behavior.missing_payment_method
  if (behavior !== 'cancel') return false
  const customer = world.store.customers.get(subscription.customer)
  return defaultMethod(world, { subscription, customer }) === null
}
