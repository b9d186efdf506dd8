import { attachSession, findIntent, unsettledStates } from '../../schema/checkout/intents.ts'
import { retryConflicts } from '../../schema/database/retry.ts'
import type { JobPayload } from '../../schema/queues/queues.ts'
import { checkoutSessionSchema } from '../../schema/stripe/events.ts'
import { applyCheckout } from '../apply/apply-checkout.ts'
import { syncSubscription } from '../apply/subscription/sync-subscription.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { findLostSession } from './find-lost-session.ts'

/**
 * Fetches an intent's session from Stripe and applies it: for a return page that is faster than the webhook, for a webhook that
 * never came, and for an intent whose server died in the middle.
 */
export async function processCheckoutCompletion(
  deps: WorkerDependencies,
  payload: JobPayload<'checkout-completions'>,
): Promise<void> {
  const log = deps.log.child({ intent_id: payload.intent_id, cause: payload.cause })
  const intent = await findIntent(deps.db, payload.intent_id)
  if (!intent || intent.state === 'settled') return
  const isOver = !(unsettledStates as readonly string[]).includes(intent.state)
  if (isOver && payload.cause === 'sweep') return

  const sessionId = intent.stripe_session_id ?? (await findLostSession(deps, intent))
  if (!sessionId) return
  if (!intent.stripe_session_id) await attachSession(deps.db, { id: intent.id, stripe_session_id: sessionId })
  const session = await deps.stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] })
  const subscription =
    typeof session.subscription === 'string' ? session.subscription : session.subscription?.id
  if (session.mode === 'subscription' && subscription) {
    const apply = await syncSubscription(deps, subscription, {
      event_id: null,
      session_id: session.id,
      actor: payload.cause,
    })
    const outcome = await retryConflicts(() => deps.db.transaction().execute(apply))
    log.info({ outcome, subscription_id: subscription }, 'Subscription synced')
    return
  }
  const paymentIntent = session.payment_intent
  const decision = await retryConflicts(() =>
    deps.db.transaction().execute((trx) =>
      applyCheckout(trx, intent.id, {
        session: checkoutSessionSchema.parse(session),
        signal: 'fetched',
        payment_intent_status:
          paymentIntent && typeof paymentIntent === 'object' ? paymentIntent.status : null,
        event_id: null,
        occurred_at: deps.now(),
        actor: payload.cause,
      }),
    ),
  )
  log.info({ decision: decision?.action, session_id: session.id }, 'Checkout synced')
}
