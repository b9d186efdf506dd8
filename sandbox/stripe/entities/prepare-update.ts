import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredDiscount, StoredInvoice, StoredInvoiceItem, StoredSubscription } from '../state.ts'
import { activeDiscounts } from './discount.ts'
import { newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines, pendingItems, periodLines } from './invoice-line.ts'
import { isSameRecurrence, nextBoundary, type Period, recurrenceOf } from './period.ts'
import { prorations } from './proration.ts'
import { changedItems, type ItemChange, itemList, periodOf, withPeriod } from './subscription.ts'

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none'

export type UpdateInput = {
  items: ItemChange[]
  /** All the discounts that shall count from now on; undefined leaves them as they are. */
  discounts?: StoredDiscount[] | undefined
  ends_trial: boolean
  /** A new period begins now, though nothing else asks for one. */
  resets_anchor?: boolean | undefined
  /** A trial begins now, or lasts, until this moment. */
  trial_end?: number | undefined
  proration_behavior: ProrationBehavior
  /** The moment that prorations count from; now, unless the caller showed a preview of another moment. */
  proration_date: number | null
}

/** The consequences of a change, computed before it is made. */
export type PreparedUpdate = {
  after: StoredSubscription
  discounts: StoredDiscount[]
  prorations: StoredInvoiceItem[]
  /** The invoice for now; null when the amounts wait for the end of the period. */
  invoice: StoredInvoice | null
}

/** Pure: the preview and the update get the same figures because both call this. */
export function prepareUpdate(
  service: Service,
  before: StoredSubscription,
  input: UpdateInput,
): PreparedUpdate {
  const now = service.clock.now()
  const items = changedItems(service, before, input.items)
  const ends_trial = input.ends_trial && before.status === 'trialing'
  const { trial_end } = input
  checkAnchor(before, { input, ends_trial, now })
  const restarts =
    trial_end !== undefined ||
    ends_trial ||
    input.resets_anchor === true ||
    (before.status !== 'trialing' && hasOtherInterval(before, items))
  const discounts = input.discounts ?? activeDiscounts(service, before, now)
  const first = trial_end === undefined ? firstPeriod(items, now) : { start: now, end: trial_end }
  const period = restarts ? first : periodOf(before)
  const after: StoredSubscription = {
    ...before,
    ...(restarts && { billing_cycle_anchor: trial_end ?? now }),
    ...(input.items.length > 0 && { schedule: null }),
    ...(ends_trial && { status: 'active', trial_end: now }),
    ...(trial_end !== undefined && {
      status: 'trialing',
      trial_end,
      trial_start: before.status === 'trialing' ? before.trial_start : now,
    }),
    ...(before.cancel_at_period_end && { cancel_at: period.end }),
    ...(input.discounts && { discounts: discounts.map(({ id }) => id) }),
    items: itemList(before.id, withPeriod(items, period)),
  }
  // A trial has cost nothing, so there is nothing to give back.
  const is_prorated = input.proration_behavior !== 'none' && before.status !== 'trialing'
  const at = input.proration_date ?? now
  const items_due = is_prorated ? prorations(service, { before, after, discounts, at, restarts }) : []
  const is_due_now = restarts || (input.proration_behavior === 'always_invoice' && items_due.length > 0)
  return {
    after,
    discounts,
    prorations: items_due,
    invoice: is_due_now
      ? updateInvoice(service, { after, discounts, items_due, restarts, period, at })
      : null,
  }
}

/**
 * https://docs.stripe.com/changelog/endive/2026-10-28/error-code-billing-cycle-trial-end-validation-subscriptions
 */
function checkAnchor(
  { status }: StoredSubscription,
  { input, ends_trial, now }: { input: UpdateInput; ends_trial: boolean; now: number },
): void {
  const is_trial = input.trial_end !== undefined || (status === 'trialing' && !ends_trial)
  if (input.resets_anchor && is_trial) {
    throw invalidRequest('The billing cycle anchor cannot be before the end of the trial.', {
      code: 'subscription_update_trial_after_billing_cycle_anchor',
      param: 'billing_cycle_anchor',
    })
  }
  if (input.trial_end === undefined) return
  if (input.trial_end <= now) {
    throw invalidRequest('`trial_end` must be in the future.', { param: 'trial_end' })
  }
  if (input.trial_end > now + longest_trial_s) {
    throw invalidRequest('`trial_end` can be at most two years from now.', { param: 'trial_end' })
  }
}

const longest_trial_s = 730 * 24 * 60 * 60

type Due = {
  after: StoredSubscription
  discounts: StoredDiscount[]
  items_due: StoredInvoiceItem[]
  restarts: boolean
  period: Period
  at: number
}

function updateInvoice(
  service: Service,
  { after, discounts, items_due, restarts, period, at }: Due,
): StoredInvoice {
  const id = newInvoiceId()
  return newInvoice(service, {
    id,
    billing_reason: 'subscription_update',
    currency: after.currency,
    customer: after.customer,
    discounts,
    lines: [
      ...itemLines(id, [...pendingItems(service, after), ...items_due]),
      ...(restarts
        ? periodLines(service, {
            invoice: id,
            subscription: after,
            period,
            is_trial: after.status === 'trialing',
          })
        : []),
    ],
    proration_date: items_due.length > 0 ? at : null,
    subscription: after,
  })
}

function hasOtherInterval(before: StoredSubscription, items: StoredSubscription['items']['data']): boolean {
  const [old] = before.items.data
  const [next] = items
  return !!old && !!next && !isSameRecurrence(recurrenceOf(old.price), recurrenceOf(next.price))
}

function firstPeriod([item]: StoredSubscription['items']['data'], now: number): Period {
  if (!item) throw new Error('A subscription without items has no period.')
  return { start: now, end: nextBoundary(now, recurrenceOf(item.price), now) }
}
