import { type Decline, invalidRequest } from '../errors.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredInvoice, StoredSubscription, StoredSubscriptionItem } from '../state.ts'
import { collectInvoice } from './collect-invoice.ts'
import { activeDiscounts, endDiscounts } from './discount.ts'
import { changedFields, emit } from './event.ts'
import { finalizeUnlessPaused, recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines, pendingItems, periodLines } from './invoice-line.ts'
import type { Period } from './period.ts'
import { hasEnded, itemList, periodOf, withPeriod } from './subscription.ts'
import { advanceSchedule, itemsInPhase, nextPhase, periodAfter } from './subscription-schedule.ts'

const grace_s = 60 * 60

/**
 * Ends a period or a trial: the next period begins and is invoiced together with pending invoice items. The
 * invoice is a draft until the grace period is over, unless `collect` says that it is charged at once. The
 * subscription has its new period before that, as at Stripe.
 */
export function renewSubscription(
  service: Service,
  subscription: StoredSubscription,
  { collect }: { collect?: Collection } = {},
): StoredSubscription {
  const { store } = service
  const past = periodOf(subscription)
  const { items, period, billing_cycle_anchor } = nextTerm(service, subscription)
  const id = newInvoiceId()
  const discounts = activeDiscounts(service, subscription, period.start)
  const renewed = store.subscriptions.put({
    ...subscription,
    billing_cycle_anchor,
    discounts: discounts.map(({ id }) => id),
    items: itemList(subscription.id, withPeriod(items, period)),
    latest_invoice: id,
    status: subscription.status === 'trialing' ? 'active' : subscription.status,
  })
  const draft = newInvoice(service, {
    id,
    billing_reason: 'subscription_cycle',
    currency: subscription.currency,
    customer: subscription.customer,
    discounts,
    lines: [
      ...itemLines(id, pendingItems(service, subscription)),
      ...periodLines(service, { invoice: id, subscription: renewed, period, is_trial: false }),
    ],
    period: past,
    subscription,
  })
  const cause: Cause = noCall
  // "All invoices have a default finalization grace period of 1 hour."
  // https://docs.stripe.com/billing/subscriptions/usage-based/configure-grace-period
  const isDraft = draft.auto_advance && !collect
  const automatically_finalizes_at = isDraft ? draft.created + grace_s : null
  const recorded = recordDraft(service, { ...draft, automatically_finalizes_at }, cause)
  emit(service, 'customer.subscription.updated', renewed, {
    cause,
    previous_attributes: changedFields(subscription, renewed),
  })
  const ended = subscription.discounts.filter((one) => !renewed.discounts.includes(one))
  endDiscounts(service, ended, cause)
  advanceSchedule(service, renewed, cause)
  if (!isDraft) collectDraft(service, recorded, collect)
  return store.subscriptions.get(subscription.id) ?? renewed
}

type Collection = { forced_decline: Decline | undefined }

/** What happens to a draft at the end of its grace period. */
export function collectDraft(service: Service, draft: StoredInvoice, collect?: Collection): void {
  const due = service.store.invoices.put({ ...draft, automatically_finalizes_at: null })
  const open = finalizeUnlessPaused(service, due, { cause: noCall })
  if (open.status !== 'open') return
  const forced_decline = collect?.forced_decline
  collectInvoice(service, open, { is_automatic: true, forced_decline, cause: noCall })
}

type Term = { items: StoredSubscriptionItem[]; period: Period; billing_cycle_anchor: number }

/** The next period and its items, including a scheduled change. */
export function nextTerm(service: Service, subscription: StoredSubscription): Term {
  const phase = nextPhase(service, subscription)
  const items = phase ? itemsInPhase(service, subscription, phase) : subscription.items.data
  const [item] = items
  if (!item) throw new Error(`Subscription ${subscription.id} has no items.`)
  return { items, ...periodAfter(subscription, item.price) }
}

/** Ends a subscription's period or trial now; the next periods count from here. */
export function endPeriodNow(
  { store, clock }: Service,
  subscription: StoredSubscription,
): StoredSubscription {
  if (hasEnded(subscription) || subscription.status === 'incomplete') {
    throw invalidRequest(
      `Subscription ${subscription.id} is ${subscription.status}; it has no period to end.`,
    )
  }
  const now = clock.now()
  const { start, end } = periodOf(subscription)
  return store.subscriptions.put({
    ...subscription,
    billing_cycle_anchor: now,
    cancel_at: subscription.cancel_at === end ? now : subscription.cancel_at,
    items: itemList(subscription.id, withPeriod(subscription.items.data, { start, end: now })),
    trial_end: subscription.status === 'trialing' ? now : subscription.trial_end,
  })
}
