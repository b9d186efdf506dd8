import { retryConflicts } from '../../schema/database/retry.ts'
import type { JobPayload } from '../../schema/queues/queues.ts'
import { syncSubscription } from '../apply/subscription/sync-subscription.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Syncs a subscription that is due: a new month of a yearly plan has begun, or a day has passed without any event. */
export async function processSubscriptionSync(
  deps: WorkerDependencies,
  payload: JobPayload<'subscription-syncs'>,
): Promise<void> {
  const apply = await syncSubscription(deps, payload.subscription_id, {
    event_id: null,
    session_id: null,
    actor: 'schedule',
  })
  const outcome = await retryConflicts(() => deps.db.transaction().execute(apply))
  deps.log.info({ subscription_id: payload.subscription_id, outcome }, 'Subscription synced')
}
