import { failureOf } from '../../schema/api/failures.ts'
import { failSubscriptionSync } from '../../schema/billing/subscriptions/snapshots.ts'
import { claimableSubscriptions, findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { JobPayload } from '../../schema/inbox/queues/queues.ts'
import { idsOf } from '../../schema/vendors/stripe/log-ids.ts'
import { modesOf } from '../../schema/vendors/stripe/mode.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { syncSeatsWithClerk } from '../events/clerk/sync-seats-with-clerk.ts'
import { endIfOwnerIsGone } from '../events/subscription/end-if-owner-is-gone.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { endIfReplaced, refundIfReplaced } from './end-replaced-plan.ts'
import { endWithoutAdmin } from './end-without-admin.ts'
import { tryRow } from './try-row.ts'

/**
 * Syncs a subscription that is due: a new month of a yearly plan has begun, or a week has passed without any
 * event. One whose owner was deleted ends first, and so does one that a Teams plan takes the place of. One
 * whose organization has no admin is not renewed, until it has one again.
 */
export async function processSubscriptionSync(
  deps: WorkerDependencies,
  { subscription_id: id, claim }: JobPayload<'subscription-syncs'>,
): Promise<void> {
  const subscription = await findSubscription(deps.db, id)
  if (!subscription || (claim !== undefined && claim !== subscription.claims)) return
  if (subscription.livemode !== deps.livemode) {
    // Stripe would not know it; with a key of its mode the next event about it tries again.
    const reason = failureOf('other_mode', modesOf(subscription, deps))
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
    await endIfOwnerIsGone(inTry, subscription.owner_id, id)
    await endIfReplaced(inTry, subscription)
    const outcome = await syncSubject(inTry, { of: 'subscription', id }, 'schedule')
    const { state, reason, ids: found } = outcome
    deps.log.info({ ...ids, ...found, outcome: state, reason }, 'Subscription synced')
    await syncSeatsWithClerk(inTry, outcome)
    await refundIfReplaced(inTry, id)
    // Last, because it may ask Clerk, for which no credits wait.
    const synced = await findSubscription(deps.db, id)
    if (synced) await endWithoutAdmin(inTry, synced)
  })
}
