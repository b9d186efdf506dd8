import { claimableIntents } from '../../schema/billing/checkout/intents.ts'
import { claimableSubscriptions } from '../../schema/billing/subscriptions/subscriptions.ts'
import { type Claimed, claimDue } from '../../schema/inbox/claim/claim-due.ts'
import type { Claimable, KeyOf } from '../../schema/inbox/claim/claimable.ts'
import { claimableEvents, type EventSource } from '../../schema/inbox/events.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { eventQueues, type QueueName } from '../../schema/inbox/queues/queues.ts'
import { claimableActs } from '../../schema/support/acts.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Rows of each kind that one claim takes; the next one claims the rest. */
const batchSize = 500

/**
 * Enqueues every event and intent that is due and unfinished, every subscription that begins a new month or
 * has not been synced for a week, and every act of support whose job was lost. This alone, not the queue,
 * tries anything again, and makes sure that nothing is forgotten: the whole queue may be lost. Returns how
 * many events and intents it enqueued.
 */
export async function enqueueDueRows(deps: WorkerDependencies): Promise<{ events: number; intents: number }> {
  const events = [...(await enqueueEvents(deps, 'stripe')), ...(await enqueueEvents(deps, 'clerk'))]
  const intents = await claim(deps, claimableIntents, 'checkout-completions')
  await deps.producer.addMany(
    'checkout-completions',
    intents.map(({ id, claim }) => ({
      jobId: freshJobId(id),
      payload: { intent_id: id, cause: 'schedule', claim },
    })),
  )
  const subscriptions = await claim(deps, claimableSubscriptions, 'subscription-syncs')
  await deps.producer.addMany(
    'subscription-syncs',
    subscriptions.map(({ stripe_subscription_id: id, claim }) => ({
      jobId: freshJobId(id),
      payload: { subscription_id: id, claim },
    })),
  )
  const acts = await claim(deps, claimableActs, 'support-acts')
  await deps.producer.addMany(
    'support-acts',
    acts.map(({ id, claim }) => ({ jobId: freshJobId(id), payload: { act_id: id, claim } })),
  )
  deps.metrics.claimed.inc({ what: 'act' }, acts.length)
  deps.metrics.claimed.inc({ what: 'subscription' }, subscriptions.length)
  deps.metrics.claimed.inc({ what: 'event' }, events.length)
  deps.metrics.claimed.inc({ what: 'intent' }, intents.length)
  if (events.length + intents.length > 0) {
    deps.log.info({ events: events.length, intents: intents.length }, 'Enqueued what was due')
  }
  return { events: events.length, intents: intents.length }
}

async function enqueueEvents(
  deps: WorkerDependencies,
  source: EventSource,
): Promise<Claimed<typeof claimableEvents>[]> {
  const queue = eventQueues[source]
  const events = await claim(deps, claimableEvents, queue, { source })
  await deps.producer.addMany(
    queue,
    events.map(({ id, claim }) => ({ jobId: freshJobId(id), payload: { event_id: id, claim } })),
  )
  return events
}

/**
 * Claims no more rows than their queue has room for: when each try takes a minute, because Stripe hangs, rows
 * are due again faster than they are tried, and the queue would grow without end.
 */
async function claim<Rows extends Claimable>(
  deps: WorkerDependencies,
  rows: Rows,
  queue: QueueName,
  only: Partial<KeyOf<Rows>> = {},
): Promise<Claimed<Rows>[]> {
  const limit = batchSize - (await deps.producer.countWaiting(queue))
  if (limit <= 0) return []
  return claimDue(deps.db, rows, { only, now: deps.now(), first_wait_ms: deps.claimAfterMs, limit })
}
