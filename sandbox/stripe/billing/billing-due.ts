import type { StoredSubscription } from '../entities.ts'
import { emit } from '../objects/event.ts'
import type { Due } from '../payments/due-work.ts'
import { nobody, type World } from '../world.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { collectInvoice } from './collect-invoice.ts'
import { expireIncomplete } from './expire-incomplete.ts'
import { periodOf } from './item-changes.ts'
import { renewSubscription } from './renew-subscription.ts'
import { isOver } from './update-subscription.ts'

const hour_s = 60 * 60
const incomplete_for_s = 23 * hour_s
const trial_notice_s = 3 * 24 * hour_s

/** Trials end, periods end, what was to be canceled is, and invoices that could not be paid are tried again. */
export function* billingDue(world: World): Generator<Due> {
  const { store } = world
  for (const subscription of store.subscriptions.oldestFirst()) {
    if (!isOver(subscription)) yield* subscriptionDue(world, subscription)
  }
  for (const invoice of store.invoices.oldestFirst()) {
    if (invoice.status !== 'open' || invoice.next_payment_attempt === null) continue
    yield {
      at_ms: invoice.next_payment_attempt * 1000,
      act: () => collectInvoice(world, invoice, { is_automatic: true, cause: nobody }),
    }
  }
}

function* subscriptionDue(world: World, subscription: StoredSubscription): Generator<Due> {
  const { status, cancel_at, trial_end, created } = subscription
  if (status === 'incomplete') {
    const at_ms = (created + incomplete_for_s) * 1000
    yield { at_ms, act: () => expireIncomplete(world, subscription) }
    return
  }
  // A cancellation comes before the renewal of the same moment.
  if (cancel_at !== null) yield { at_ms: cancel_at * 1000, act: () => cancelAsPlanned(world, subscription) }
  if (status === 'trialing' && trial_end !== null && !isAnnounced(world, subscription)) {
    yield { at_ms: (trial_end - trial_notice_s) * 1000, act: () => announceTrialEnd(world, subscription) }
  }
  const { end } = periodOf(subscription)
  yield { at_ms: end * 1000, act: () => renewSubscription(world, subscription) }
}

/** What a change has left to be paid is still invoiced, as it would have been with the renewal. */
export function cancelAsPlanned(world: World, subscription: StoredSubscription): StoredSubscription {
  return cancelSubscription(world, subscription, {
    prorate: false,
    invoice_now: true,
    details: {},
    cause: nobody,
  })
}

function isAnnounced({ store }: World, { id }: StoredSubscription): boolean {
  return store.subscription_details.get(id)?.is_trial_end_announced ?? false
}

function announceTrialEnd(world: World, subscription: StoredSubscription): void {
  world.store.subscription_details.put({ id: subscription.id, is_trial_end_announced: true })
  emit(world, 'customer.subscription.trial_will_end', subscription, { cause: nobody })
}
