import type Stripe from 'stripe'
import { cardError, invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredInvoice, StoredSubscription } from '../state.ts'
import { defaultMethod } from './customer.ts'
import { endDiscounts, startDiscounts } from './discount.ts'
import { disputeAtOnce } from './dispute.ts'
import { changedFields, emit } from './event.ts'
import { finalizeUnlessPaused, recordDraft } from './finalize-invoice.ts'
import { no_method, payInvoice } from './pay-invoice.ts'
import { prepareUpdate, type UpdateInput } from './prepare-update.ts'
import { hasEnded, periodOf } from './subscription.ts'
import { releaseSchedule } from './subscription-schedule.ts'
import { declineOf } from './test-cards.ts'

export type SubscriptionUpdate = UpdateInput & {
  automatic_tax?: { enabled: boolean } | undefined
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
    subscription: withSettings(service, before, input),
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
  // An extended trial is announced again before its end.
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
    ...(input.automatic_tax && {
      automatic_tax: { ...subscription.automatic_tax, ...input.automatic_tax, disabled_reason: null },
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
