import type Stripe from 'stripe'
import type { StoredInvoice, StoredSubscription } from '../entities.ts'
import { cardError, invalidRequest } from '../errors.ts'
import { changedFields, emit } from '../objects/event.ts'
import { disputeAtOnce } from '../payments/dispute-at-once.ts'
import { declineOf } from '../payments/test-cards.ts'
import type { Cause, World } from '../world.ts'
import { defaultMethod } from './default-method.ts'
import { periodOf } from './item-changes.ts'
import { finalizeInvoice, recordDraft } from './open-invoice.ts'
import { no_method, payInvoice } from './pay-invoice.ts'
import { planUpdate, type UpdateInput } from './plan-update.ts'
import { releaseSchedule } from './schedule-change.ts'

export type SubscriptionUpdate = UpdateInput & {
  /** A moment, or null to go on; undefined leaves it as it is. */
  cancel_at?: number | null | undefined
  cancel_at_period_end?: boolean | undefined
  cancellation_details?: Partial<Stripe.Subscription.CancellationDetails> | undefined
  default_payment_method?: string | null | undefined
  description?: string | null | undefined
  metadata?: Record<string, string> | undefined
  payment_behavior: 'allow_incomplete' | 'error_if_incomplete'
  /** The buyer is there and presses a button, as on the portal's pages. */
  is_on_session?: boolean | undefined
  cause: Cause
}

/** Carries out a change: the subscription first, then what it costs. */
export function updateSubscription(
  world: World,
  given: StoredSubscription,
  input: SubscriptionUpdate,
): StoredSubscription {
  const { store } = world
  const { cause } = input
  checkUpdatable(given, input)
  const before = input.items.length > 0 ? releaseSchedule(world, given, cause) : given
  const plan = planUpdate(world, before, input)
  const method = defaultMethod(world, {
    subscription: { default_payment_method: input.default_payment_method ?? before.default_payment_method },
    customer: store.customers.get(before.customer),
  })
  const is_off_session = !input.is_on_session
  if (plan.invoice && plan.invoice.amount_due > 0 && input.payment_behavior === 'error_if_incomplete') {
    const decline = method ? declineOf(method, { is_off_session }) : no_method
    if (decline) throw cardError(decline)
  }
  const after = store.subscriptions.put({
    ...withSettings(world, plan.after, input),
    ...(plan.invoice && { latest_invoice: plan.invoice.id }),
  })
  for (const item of plan.prorations) {
    store.invoice_items.put(item)
    emit(world, 'invoiceitem.created', item, { cause })
  }
  const previous_attributes = changedFields(before, after)
  if (Object.keys(previous_attributes).length > 0) {
    emit(world, 'customer.subscription.updated', after, { cause, previous_attributes })
  }
  if (plan.invoice) {
    collectNow(world, plan.invoice, { method, is_off_session, cause })
  }
  return store.subscriptions.get(before.id) ?? after
}

function checkUpdatable(
  { status, schedule }: StoredSubscription,
  { cancel_at, cancel_at_period_end }: SubscriptionUpdate,
): void {
  if (isOver({ status })) {
    throw invalidRequest(`A ${status} subscription can only update its cancellation_details and metadata.`)
  }
  if (schedule !== null && (cancel_at !== undefined || cancel_at_period_end !== undefined)) {
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancellation behavior directly is not allowed. Please update the schedule instead.`,
    )
  }
}

function collectNow(
  world: World,
  draft: StoredInvoice,
  attempt: Pick<Parameters<typeof payInvoice>[2], 'cause' | 'is_off_session' | 'method'>,
): void {
  const { cause } = attempt
  const open = finalizeInvoice(world, recordDraft(world, draft, cause), { cause })
  if (open.status !== 'open') return
  disputeAtOnce(world, payInvoice(world, open, { ...attempt, is_automatic: true }).charge)
}

function withSettings(
  { clock }: World,
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
  }
  const ends_at =
    cancel_at_period_end === undefined ? cancel_at : cancel_at_period_end ? periodOf(subscription).end : null
  const details = subscription.cancellation_details
  const told = { ...details, ...cancellation_details } as NonNullable<typeof details>
  if (ends_at === undefined) return { ...subscription, ...settings, cancellation_details: told }
  const is_ending = ends_at !== null
  return {
    ...subscription,
    ...settings,
    cancel_at: ends_at,
    cancel_at_period_end: cancel_at_period_end ?? false,
    canceled_at: is_ending ? (subscription.canceled_at ?? clock.now()) : null,
    cancellation_details: is_ending
      ? { ...told, reason: 'cancellation_requested' }
      : { comment: null, feedback: null, feedback_option: null, reason: null },
  }
}

/** Over for good: nothing brings it back, and nothing is invoiced for it. */
export function isOver({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}
