import type Stripe from 'stripe'
import { cardError, invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredDiscount, StoredInvoice, StoredInvoiceItem, StoredSubscription } from '../state.ts'
import { defaultMethod } from './customer.ts'
import { activeDiscounts, endDiscounts, startDiscounts } from './discount.ts'
import { disputeAtOnce } from './dispute.ts'
import { changedFields, emit } from './event.ts'
import { recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines, pendingItems, periodLines } from './invoice-line.ts'
import { finalizeUnlessPaused } from './pause-collection.ts'
import { no_method, payInvoice } from './pay-invoice.ts'
import { isSameRecurrence, nextBoundary, type Period, recurrenceOf } from './period.ts'
import { prorations } from './proration.ts'
import { hasEnded, itemList } from './subscription.ts'
import { changedItems, type ItemChange, periodOf, withPeriod } from './subscription-item.ts'
import { releaseSchedule } from './subscription-schedule.ts'
import { declineOf } from './test-cards.ts'

export type SubscriptionUpdate = UpdateInput & {
  /** A moment, or null to go on; undefined leaves it as it is. */
  cancel_at?: number | null | undefined
  cancel_at_period_end?: boolean | undefined
  cancellation_details?: Partial<Stripe.Subscription.CancellationDetails> | undefined
  default_payment_method?: string | null | undefined
  description?: string | null | undefined
  metadata?: Record<string, string> | undefined
  /** Null goes on with collecting; undefined leaves it as it is. */
  pause_collection?: StoredSubscription['pause_collection'] | undefined
  payment_behavior: 'allow_incomplete' | 'error_if_incomplete'
  /** The buyer is there and presses a button, as on the portal's pages. */
  is_on_session?: boolean | undefined
  cause: Cause
}

/** Carries out a change: the subscription first, then what it costs. */
export function updateSubscription(
  service: Service,
  given: StoredSubscription,
  input: SubscriptionUpdate,
): StoredSubscription {
  const { store } = service
  const { cause } = input
  checkUpdatable(given, input)
  const before = input.items.length > 0 ? releaseSchedule(service, given, cause) : given
  const plan = prepareUpdate(service, before, input)
  const method = defaultMethod(service, {
    subscription: { default_payment_method: input.default_payment_method ?? before.default_payment_method },
    customer: store.customers.get(before.customer),
  })
  const is_off_session = !input.is_on_session
  if (plan.invoice && plan.invoice.amount_due > 0 && input.payment_behavior === 'error_if_incomplete') {
    const decline = method ? declineOf(method, { is_off_session }) : no_method
    if (decline) throw cardError(decline)
  }
  const after = store.subscriptions.put({
    ...withSettings(service, plan.after, input),
    ...(plan.invoice && { latest_invoice: plan.invoice.id }),
  })
  for (const item of plan.prorations) {
    store.invoice_items.put(item)
    emit(service, 'invoiceitem.created', item, { cause })
  }
  const previous_attributes = changedFields(before, after)
  if (Object.keys(previous_attributes).length > 0) {
    emit(service, 'customer.subscription.updated', after, { cause, previous_attributes })
  }
  // A trial that lasts longer is announced anew when it is about to end.
  if (input.trial_end !== undefined) {
    store.subscription_details.put({ id: after.id, is_trial_end_announced: false })
  }
  startDiscounts(service, plan.discounts, cause)
  const ended = before.discounts.filter((one) => !after.discounts.includes(one))
  endDiscounts(service, ended, cause)
  if (plan.invoice) {
    collectNow(service, plan.invoice, { method, is_off_session, cause })
  }
  return store.subscriptions.get(before.id) ?? after
}

function checkUpdatable(
  { status, schedule }: StoredSubscription,
  { cancel_at, cancel_at_period_end }: SubscriptionUpdate,
): void {
  if (hasEnded({ status })) {
    throw invalidRequest(`A ${status} subscription can only update its cancellation_details and metadata.`)
  }
  if (schedule !== null && (cancel_at !== undefined || cancel_at_period_end !== undefined)) {
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancellation behavior directly is not allowed. Please update the schedule instead.`,
    )
  }
}

function collectNow(
  service: Service,
  draft: StoredInvoice,
  attempt: Pick<Parameters<typeof payInvoice>[2], 'cause' | 'is_off_session' | 'method'>,
): void {
  const { cause } = attempt
  const open = finalizeUnlessPaused(service, recordDraft(service, draft, cause), { cause })
  if (open.status !== 'open') return
  disputeAtOnce(service, payInvoice(service, open, { ...attempt, is_automatic: true }).charge)
}

function withSettings(
  { clock }: Service,
  subscription: StoredSubscription,
  input: SubscriptionUpdate,
): StoredSubscription {
  const { cancel_at_period_end, cancel_at, cancellation_details } = input
  const settings = {
    ...(input.default_payment_method !== undefined && {
      default_payment_method: input.default_payment_method,
    }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.metadata !== undefined && { metadata: input.metadata }),
    ...(input.pause_collection !== undefined && { pause_collection: input.pause_collection }),
  }
  const ends_at =
    cancel_at_period_end === undefined ? cancel_at : cancel_at_period_end ? periodOf(subscription).end : null
  const details = subscription.cancellation_details
  const merged = { ...details, ...cancellation_details } as NonNullable<typeof details>
  if (ends_at === undefined) return { ...subscription, ...settings, cancellation_details: merged }
  const is_ending = ends_at !== null
  return {
    ...subscription,
    ...settings,
    cancel_at: ends_at,
    cancel_at_period_end: cancel_at_period_end ?? false,
    canceled_at: is_ending ? (subscription.canceled_at ?? clock.now()) : null,
    cancellation_details: is_ending
      ? { ...merged, reason: 'cancellation_requested' }
      : { comment: null, feedback: null, feedback_option: null, reason: null },
  }
}

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
  /** From when on the change counts for the money; now, unless the caller showed a preview of another moment. */
  proration_date: number | null
}

/** What follows from a change, before anything of it is done. */
export type PreparedUpdate = {
  after: StoredSubscription
  discounts: StoredDiscount[]
  prorations: StoredInvoiceItem[]
  /** What has to be invoiced at once; null when it can wait for the end of the period. */
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
    // What is changed now takes the place of what was planned for later.
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

/** https://docs.stripe.com/changelog/endive/2026-10-28/error-code-billing-cycle-trial-end-validation-subscriptions */
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

function updateInvoice(
  service: Service,
  {
    after,
    discounts,
    items_due,
    restarts,
    period,
    at,
  }: {
    after: StoredSubscription
    discounts: StoredDiscount[]
    items_due: StoredInvoiceItem[]
    restarts: boolean
    period: Period
    at: number
  },
): StoredInvoice {
  const customer = service.store.customers.get(after.customer)
  if (!customer) throw new Error(`Customer ${after.customer} is gone.`)
  const id = newInvoiceId()
  const now = service.clock.now()
  return newInvoice(service, {
    id,
    billing_reason: 'subscription_update',
    currency: after.currency,
    customer,
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
    period: { start: now, end: now },
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
