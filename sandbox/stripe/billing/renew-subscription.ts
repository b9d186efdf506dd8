import type { StoredSubscription, StoredSubscriptionItem } from '../entities.ts'
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
import { isSameRecurrence, nextBoundary, recurrenceOf } from './period.ts'
import { plannedItems, plannedPhase, releaseSchedule } from './schedule-change.ts'

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
  const { items, period, billing_cycle_anchor } = nextTerm(world, subscription)
  const id = newInvoiceId()
  const renewed = store.subscriptions.put({
    ...subscription,
    billing_cycle_anchor,
    items: itemList(subscription.id, withPeriod(items, period)),
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
  if (plannedPhase(world, renewed)) releaseSchedule(world, renewed, cause)
  const open = finalizeInvoice(world, recorded, { cause })
  if (open.status === 'open') collectInvoice(world, open, { is_automatic: true, forced_decline, cause })
  return store.subscriptions.get(subscription.id) ?? renewed
}

type Term = { items: StoredSubscriptionItem[]; period: Period; billing_cycle_anchor: number }

/** What the next period is, and what is in it: a change that was scheduled for it has come true. */
export function nextTerm(world: World, subscription: StoredSubscription): Term {
  const { end } = periodOf(subscription)
  const phase = plannedPhase(world, subscription)
  const items = phase ? plannedItems(world, subscription, phase) : subscription.items.data
  const [before] = subscription.items.data
  const [item] = items
  if (!item || !before) throw new Error(`Subscription ${subscription.id} has no items.`)
  const recurrence = recurrenceOf(item.price)
  // Another interval counts from where it begins.
  const is_same = isSameRecurrence(recurrence, recurrenceOf(before.price))
  const billing_cycle_anchor = is_same ? subscription.billing_cycle_anchor : end
  return {
    items,
    billing_cycle_anchor,
    period: { start: end, end: nextBoundary(billing_cycle_anchor, recurrence, end) },
  }
}

/** A trial that no card was asked for, of a subscription that shall not go on without one. */
function lacksMethod(world: World, subscription: StoredSubscription): boolean {
  const behavior = subscription.trial_settings?.end_behavior.missing_payment_method
  if (behavior !== 'cancel') return false
  const customer = world.store.customers.get(subscription.customer)
  return defaultMethod(world, { subscription, customer }) === null
}
