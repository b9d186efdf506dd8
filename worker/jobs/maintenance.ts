import { sql } from 'kysely'
import { unsettledStates } from '../../schema/checkout/intents.ts'
import { freshJobId } from '../../schema/queues/producer.ts'
import { finalStatuses } from '../../schema/stripe/statuses.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Rows of each kind that one sweep takes; the next one takes the rest. */
const batchSize = 500

/** The wait doubles with every sweep that did not settle a row, up to an hour. */
const longestWaitMs = 3600 * 1000

/**
 * Enqueues every event and intent that is due and not settled. This, not the queue, is what makes sure that nothing is
 * forgotten: the queue may be lost whole. Returns how many rows it enqueued.
 */
export async function sweep(deps: WorkerDependencies): Promise<{ events: number; intents: number }> {
  const events = await claimEvents(deps)
  for (const event of events) {
    const queue = event.source === 'stripe' ? 'stripe-events' : 'clerk-events'
    await deps.producer.add(queue, freshJobId(event.id), { event_id: event.id })
  }
  const intents = await claimIntents(deps)
  for (const intent of intents) {
    await deps.producer.add('checkout-completions', freshJobId(intent.id), {
      intent_id: intent.id,
      cause: 'sweep',
    })
  }
  const subscriptions = await claimSubscriptions(deps)
  for (const { stripe_subscription_id: id } of subscriptions) {
    await deps.producer.add('subscription-syncs', freshJobId(id), { subscription_id: id })
  }
  deps.metrics.swept.inc({ what: 'subscription' }, subscriptions.length)
  deps.metrics.swept.inc({ what: 'event' }, events.length)
  deps.metrics.swept.inc({ what: 'intent' }, intents.length)
  if (events.length + intents.length > 0) {
    deps.log.info({ events: events.length, intents: intents.length }, 'Swept')
  }
  return { events: events.length, intents: intents.length }
}

const nextSweep = (deps: WorkerDependencies) => ({
  sweep_at: sql<Date>`${deps.now()}::timestamptz
    + least(${deps.sweepAfterMs} * 2 ^ least(sweeps, 20), ${longestWaitMs}) * interval '1 millisecond'`,
  sweeps: sql<number>`sweeps + 1`,
})

async function claimEvents(deps: WorkerDependencies) {
  return deps.db
    .updateTable('inbox_events')
    .set(nextSweep(deps))
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('source', 'id'),
        'in',
        eb
          .selectFrom('inbox_events')
          .select(['source', 'id'])
          .where('state', '=', 'received')
          .where('sweep_at', '<=', deps.now())
          .orderBy('sweep_at')
          .limit(batchSize)
          .forUpdate()
          .skipLocked()
          .$asTuple('source', 'id'),
      ),
    )
    .returning(['source', 'id'])
    .execute()
}

async function claimIntents(deps: WorkerDependencies) {
  return deps.db
    .updateTable('checkout_intents')
    .set(nextSweep(deps))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('checkout_intents')
        .select('id')
        .where('state', 'in', unsettledStates)
        .where('sweep_at', '<=', deps.now())
        .orderBy('sweep_at')
        .limit(batchSize)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .execute()
}

/** Subscriptions that begin a new month, or that nobody has looked at for a day. */
async function claimSubscriptions(deps: WorkerDependencies) {
  return deps.db
    .updateTable('subscriptions')
    .set(nextSweep(deps))
    .where('stripe_subscription_id', 'in', (eb) =>
      eb
        .selectFrom('subscriptions')
        .select('stripe_subscription_id')
        .where('status', 'not in', finalStatuses)
        .where('sweep_at', '<=', deps.now())
        .orderBy('sweep_at')
        .limit(batchSize)
        .forUpdate()
        .skipLocked(),
    )
    .returning('stripe_subscription_id')
    .execute()
}
