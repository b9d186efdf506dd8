import {
  attachSession,
  type CheckoutIntent,
  claimableIntents,
  findIntent,
  isUnfinished,
} from '../../schema/checkout/intents.ts'
import { failUnfinishedIntent } from '../../schema/checkout/outcomes.ts'
import { recordNoChange } from '../../schema/claim/record-try.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { JobPayload } from '../../schema/queues/queues.ts'
import { checkoutSessionSchema } from '../../schema/stripe/events.ts'
import { idsOf, withTransfers } from '../../schema/stripe/log-ids.ts'
import { modeName } from '../../schema/stripe/mode.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCheckout } from '../events/apply-checkout.ts'
import { followSeats } from '../events/clerk/follow-seats.ts'
import { syncSubscription } from '../events/subscription/sync-subscription.ts'
import { findLostSession } from './find-lost-session.ts'
import { logSynced } from './subscription-sync.ts'
import { tryRow } from './try-row.ts'

const longestWaitMs = 3600 * 1000

/**
 * Fetches an intent's session from Stripe and applies it: for a return page that is faster than the webhook,
 * for a webhook that never came, and for an intent whose server died in the middle.
 */
export async function processCheckoutCompletion(
  deps: WorkerDependencies,
  payload: JobPayload<'checkout-completions'>,
): Promise<void> {
  const intent = await findIntent(deps.db, payload.intent_id)
  if (!intent || intent.state === 'settled') return
  const isScheduled = payload.cause === 'schedule'
  const isOver = !isUnfinished(intent)
  const isVoid = payload.claim !== undefined && payload.claim !== intent.claims
  if (isScheduled && (isOver || isVoid)) return
  if (intent.livemode !== deps.livemode) {
    // Its session is not to be found with our key, so no buyer can be sent there any more.
    const failure_reason = `It was opened in ${modeName(intent.livemode)}; our key is one of ${modeName(deps.livemode)}`
    await failUnfinishedIntent(deps.db, { id: intent.id, failure_code: 'other_mode', failure_reason })
    return deps.log.info({ intent_id: intent.id, failure_reason }, 'Checkout not completed')
  }

  const row = {
    what: 'intent',
    rows: claimableIntents,
    key: { id: intent.id },
    ids: idsOf({ intent_id: intent.id, session_id: intent.stripe_session_id }),
    subject: intent.owner_id ?? intent.user_id,
    record: intent,
    isScheduled,
    giveUp: (failure_reason: string) =>
      failUnfinishedIntent(deps.db, { id: intent.id, failure_code: 'contradiction', failure_reason }),
  } as const
  const done = await tryRow(deps, row, () => completeCheckout(deps, intent, payload.cause))
  await followSeats(deps, done)
  if (isScheduled) {
    await recordNoChange(deps.db, { ...row, claim: intent.claims }, nextCheckAt(deps, intent))
  }
}

/** While nothing happens a checkout is looked at when it is twice as old, and at least once an hour. */
function nextCheckAt(
  deps: Pick<WorkerDependencies, 'now' | 'claimAfterMs'>,
  { created_at }: CheckoutIntent,
): Date {
  const now = deps.now().getTime()
  return new Date(now + Math.min(Math.max(now - created_at.getTime(), deps.claimAfterMs), longestWaitMs))
}

/**
 * Fetches a checkout's session and applies it. Says why nothing followed, and the organization that has more
 * or fewer seats now, for which see `followSeats`.
 */
export async function completeCheckout(
  deps: WorkerDependencies,
  intent: CheckoutIntent,
  actor: string,
): Promise<{ readonly reason: string | null; readonly seats_changed_in?: string | undefined }> {
  const sessionId = intent.stripe_session_id ?? (await findLostSession(deps, intent))
  if (!sessionId) return { reason: 'Stripe has no payment page for it' }
  if (!intent.stripe_session_id) await attachSession(deps.db, { id: intent.id, stripe_session_id: sessionId })
  const ids = { intent_id: intent.id, session_id: sessionId }
  const session = await deps.stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] })
  const subscription =
    typeof session.subscription === 'string' ? session.subscription : session.subscription?.id
  if (session.mode === 'subscription' && subscription) {
    const apply = await syncSubscription(deps, subscription, {
      event_id: null,
      session_id: session.id,
      intent_id: intent.id,
      actor,
    })
    const outcome = await retryTransaction(deps.db, apply)
    logSynced(deps.log.child({ actor }), { ids: { ...ids, subscription_id: subscription }, outcome })
    return outcome
  }
  const paymentIntent = session.payment_intent
  const decision = await retryTransaction(deps.db, (trx) =>
    applyCheckout(trx, intent.id, {
      session: checkoutSessionSchema.parse(session),
      signal: 'fetched',
      payment_intent_status: paymentIntent && typeof paymentIntent === 'object' ? paymentIntent.status : null,
      event_id: null,
      occurred_at: deps.now(),
      actor,
    }),
  )
  const named = withTransfers(ids, decision?.transfer_ids ?? [])
  deps.log.info({ ...named, actor, decision: decision?.action }, 'Checkout synced')
  return { reason: decision?.action === 'none' ? decision.reason : null }
}
