import { noCall, type Service } from '../service.ts'
import type { StoredSubscription } from '../state.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { expireSession } from './checkout-session.ts'
import { collectInvoice } from './collect-invoice.ts'
import { closeDispute } from './dispute.ts'
import { emit } from './event.ts'
import { voidInvoice } from './invoice.ts'
import { settleSession } from './pay-session.ts'
import { collectDraft, renewSubscription } from './renew-subscription.ts'
import { hasEnded, periodOf } from './subscription.ts'

/** Something that happens by itself at a moment of the sandbox's clock, without a call. */
export type Due = { at_ms: number; act(): void }

/**
 * Does the due work up to a moment, in order of its due time, including work that it causes. The clock moves
 * along, so that each object has its own time. Called by a timer and by the knob that moves the clock.
 */
export function runDueWork(service: Service, until_ms = service.clock.nowMs()): void {
  while (true) {
    const due = [...paymentsDue(service), ...billingDue(service)].filter(({ at_ms }) => at_ms <= until_ms)
    if (due.length === 0) return
    const at_ms = due.reduce((first, one) => Math.min(first, one.at_ms), Number.POSITIVE_INFINITY)
    service.clock.moveTo(at_ms)
    // At one moment only the first of them: it may have settled the others, as a cancellation does a renewal.
    due.find((one) => one.at_ms === at_ms)?.act()
  }
}

/** Open sessions expire, delayed payments settle, unanswered disputes are lost. */
function* paymentsDue(service: Service): Generator<Due> {
  const { store } = service
  for (const session of store.checkout_sessions.oldestFirst()) {
    if (session.status !== 'open') continue
    yield { at_ms: session.expires_at * 1000, act: () => expireSession(service, session, noCall) }
  }
  for (const { id, settles_at_ms } of store.checkout_details.oldestFirst()) {
    if (settles_at_ms === null) continue
    yield { at_ms: settles_at_ms, act: () => settleSession(service, id, 'succeeded') }
  }
  for (const dispute of store.disputes.oldestFirst()) {
    const { due_by } = dispute.evidence_details
    if (dispute.status !== 'needs_response' || due_by === null) continue
    const evidence_details = { ...dispute.evidence_details, past_due: true }
    yield {
      at_ms: due_by * 1000,
      act: () =>
        closeDispute(service, { dispute: { ...dispute, evidence_details }, outcome: 'lost', cause: noCall }),
    }
  }
}

const hour_s = 60 * 60
const incomplete_for_s = 23 * hour_s
const trial_notice_s = 3 * 24 * hour_s

/** Ends of trials, periods and drafts, scheduled cancellations, and retries of unpaid invoices. */
function* billingDue(service: Service): Generator<Due> {
  const { store } = service
  for (const subscription of store.subscriptions.oldestFirst()) {
    if (!hasEnded(subscription)) yield* subscriptionDue(service, subscription)
  }
  for (const invoice of store.invoices.oldestFirst()) {
    const { automatically_finalizes_at } = invoice
    if (automatically_finalizes_at !== null) {
      yield { at_ms: automatically_finalizes_at * 1000, act: () => collectDraft(service, invoice) }
    }
    if (invoice.status !== 'open' || invoice.next_payment_attempt === null) continue
    yield {
      at_ms: invoice.next_payment_attempt * 1000,
      act: () => collectInvoice(service, invoice, { is_automatic: true, cause: noCall }),
    }
  }
}

function* subscriptionDue(service: Service, subscription: StoredSubscription): Generator<Due> {
  const { status, cancel_at, trial_end, created } = subscription
  if (status === 'incomplete') {
    const at_ms = (created + incomplete_for_s) * 1000
    yield { at_ms, act: () => expireIncomplete(service, subscription) }
    return
  }
  // A cancellation comes before the renewal of the same moment.
  if (cancel_at !== null) yield { at_ms: cancel_at * 1000, act: () => cancelAsPlanned(service, subscription) }
  if (status === 'trialing' && trial_end !== null && !isAnnounced(service, subscription)) {
    yield { at_ms: (trial_end - trial_notice_s) * 1000, act: () => announceTrialEnd(service, subscription) }
  }
  const { end } = periodOf(subscription)
  yield { at_ms: end * 1000, act: () => renewSubscription(service, subscription) }
}

/** What a change has left to be paid is still invoiced, as it would have been with the renewal. */
export function cancelAsPlanned(service: Service, subscription: StoredSubscription): StoredSubscription {
  return cancelSubscription(service, subscription, { invoice_now: true, details: {}, cause: noCall })
}

function isAnnounced({ store }: Service, { id }: StoredSubscription): boolean {
  return store.subscription_details.get(id)?.is_trial_end_announced ?? false
}

function announceTrialEnd(service: Service, subscription: StoredSubscription): void {
  service.store.subscription_details.put({ id: subscription.id, is_trial_end_announced: true })
  emit(service, 'customer.subscription.trial_will_end', subscription, { cause: noCall })
}

/** A subscription whose first invoice was not paid in time never began. */
function expireIncomplete(service: Service, subscription: StoredSubscription): void {
  const { store, clock } = service
  const expired = store.subscriptions.put({
    ...subscription,
    ended_at: clock.now(),
    status: 'incomplete_expired',
  })
  emit(service, 'customer.subscription.updated', expired, {
    cause: noCall,
    previous_attributes: { ended_at: null, status: 'incomplete' },
  })
  const invoice = store.invoices.get(subscription.latest_invoice)
  if (invoice?.status === 'open') voidInvoice(service, invoice, noCall)
}
