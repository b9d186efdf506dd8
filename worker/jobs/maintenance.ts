import { freshJobId } from '../../schema/queues/producer.ts'
import { claimDue } from '../../schema/sweep/claim-due.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Rows of each kind that one sweep claims; the next one claims the rest. */
const batchSize = 500

/**
 * Enqueues every event and intent that is due and not settled, and every subscription that begins a new month or has not been
 * synced for a day. This, not the queue, makes sure that nothing is forgotten: the whole queue may be lost. Returns how many
 * events and intents it enqueued.
 */
export async function sweep(deps: WorkerDependencies): Promise<{ events: number; intents: number }> {
  const due = { now: deps.now(), first_wait_ms: deps.sweepAfterMs, limit: batchSize }
  const events = await claimDue(deps.db, 'inbox_events', due)
  for (const { source, id } of events) {
    const queue = source === 'stripe' ? 'stripe-events' : 'clerk-events'
    await deps.producer.add(queue, freshJobId(id), { event_id: id })
  }
  const intents = await claimDue(deps.db, 'checkout_intents', due)
  for (const { id } of intents) {
    await deps.producer.add('checkout-completions', freshJobId(id), { intent_id: id, cause: 'sweep' })
  }
  const subscriptions = await claimDue(deps.db, 'subscriptions', due)
  for (const { stripe_subscription_id: id } of subscriptions) {
    await deps.producer.add('subscription-syncs', freshJobId(id), { subscription_id: id })
  }
  deps.metrics.swept.inc({ what: 'subscription' }, subscriptions.length)
  deps.metrics.swept.inc({ what: 'event' }, events.length)
  deps.metrics.swept.inc({ what: 'intent' }, intents.length)
  if (events.length + intents.length > 0) {
    deps.log.info({ events: events.length, intents: intents.length }, 'Enqueued what was due')
  }
  return { events: events.length, intents: intents.length }
}
