import { retryTransaction } from '../../schema/database/retry.ts'
import type { Logger } from '../../schema/log.ts'
import type { JobPayload } from '../../schema/queues/queues.ts'
import { idsOf, type LogIds } from '../../schema/stripe/log-ids.ts'
import { modeName } from '../../schema/stripe/mode.ts'
import { failSubscriptionSync } from '../../schema/subscriptions/snapshots.ts'
import { claimableSubscriptions, findSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { followSeats } from '../events/clerk/follow-seats.ts'
import type { EventOutcome } from '../events/event-needs.ts'
import { endIfOwnerIsGone } from '../events/subscription/end-if-owner-is-gone.ts'
import { syncSubscription } from '../events/subscription/sync-subscription.ts'
import { endIfReplaced, refundIfReplaced } from './end-replaced-plan.ts'
import { tryRow } from './try-row.ts'

/**
 * Syncs a subscription that is due: a new month of a yearly plan has begun, or a week has passed without any
 * event. One whose owner was deleted ends first, and so does one that a Teams plan takes the place of.
 */
export async function processSubscriptionSync(
  deps: WorkerDependencies,
  { subscription_id: id, claim }: JobPayload<'subscription-syncs'>,
): Promise<void> {
  const subscription = await findSubscription(deps.db, id)
  if (!subscription || (claim !== undefined && claim !== subscription.claims)) return
  if (subscription.livemode !== deps.livemode) {
    // Stripe would not know it; with a key of its mode the next event about it tries again.
    const reason = `It is one of ${modeName(subscription.livemode)}; our key is one of ${modeName(deps.livemode)}`
    await failSubscriptionSync(deps.db, { id, reason, now: deps.now() })
    return deps.log.info({ subscription_id: id, reason }, 'Subscription not synced')
  }
  const ids = idsOf({ subscription_id: id, intent_id: subscription.intent_id })
  const inTry = { ...deps, log: deps.log.child(ids) }
  const row = {
    what: 'subscription',
    rows: claimableSubscriptions,
    key: { stripe_subscription_id: id },
    ids,
    subject: subscription.owner_id,
    record: subscription,
    isScheduled: true,
    giveUp: (reason: string) => failSubscriptionSync(deps.db, { id, reason, now: deps.now() }),
  } as const
  await tryRow(deps, row, async () => {
    await endIfOwnerIsGone(inTry, subscription, id)
    await endIfReplaced(inTry, subscription)
    const apply = await syncSubscription(inTry, id, { event_id: null, session_id: null, actor: 'schedule' })
    const outcome = await retryTransaction(deps.db, apply)
    logSynced(deps.log, { ids, outcome })
    if (outcome.state === 'applied') await followSeats(inTry, outcome)
    await refundIfReplaced(inTry, id)
  })
}

/** What came of syncing a subscription, with the ids of all that it is about. */
export function logSynced(log: Logger, { ids, outcome }: { ids: LogIds; outcome: EventOutcome }): void {
  const { state, reason } = outcome
  const found = state === 'applied' ? outcome.ids : undefined
  log.info({ ...ids, ...found, outcome: state, reason }, 'Subscription synced')
}
