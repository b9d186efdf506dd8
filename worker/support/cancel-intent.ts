import Stripe from 'stripe'
import { failureOf } from '../../schema/api/failures.ts'
import { type CheckoutIntent, findIntent, isUnfinished } from '../../schema/billing/checkout/intents.ts'
import { expireIntent } from '../../schema/billing/checkout/open-checkouts.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { type CheckoutSession, checkoutSessionSchema } from '../../schema/vendors/stripe/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { applyCheckout } from '../events/checkout.ts'
import { findLostSession } from '../jobs/find-lost-session.ts'
import type { DoAct } from './act.ts'

/**
 * Ends a checkout that is stuck. Its payment page is closed at Stripe first, so that it cannot be paid
 * afterwards.
 */
export const cancelIntent: DoAct = async (deps, { target_id: id, requested_by, is_dry_run }) => {
  const intent = await findIntent(deps.db, id)
  if (!intent) throw new PermanentError('not_found', { what: 'checkout', id })
  const done = { note: failureOf('has_state', { what: 'checkout', state: intent.state }) }
  if (!isUnfinished(intent)) return done
  const sessionId = intent.stripe_session_id ?? (await findLostSession(deps, intent))
  if (!sessionId) {
    await expireIntent(deps.db, intent)
    return done
  }
  const session = await closeSession(deps, sessionId, { is_dry_run })
  const fetched = { of: 'checkout', intent_id: id, session, payment_intent_status: null } as const
  const cause = { event_id: null, actor: requested_by, now: deps.now() }
  await retryTransaction(deps.db, (trx) => applyCheckout(trx, fetched, cause))
  return done
}

/**
 * The session as it is when it cannot be paid any more. Throws PermanentError when it was paid, or a payment
 * is on its way.
 */
async function closeSession(
  { stripe }: Pick<WorkerDependencies, 'stripe'>,
  sessionId: CheckoutIntent['id'],
  { is_dry_run }: { readonly is_dry_run: boolean },
): Promise<CheckoutSession> {
  const session = checkoutSessionSchema.parse(await stripe.checkout.sessions.retrieve(sessionId))
  if (session.status === 'complete') {
    if (session.payment_status !== 'unpaid') throw new PermanentError('paid_already')
    throw new PermanentError('has_state', { what: 'payment', state: 'pending' })
  }
  if (session.status === 'expired') return session
  if (is_dry_run) return { ...session, status: 'expired' }
  try {
    return checkoutSessionSchema.parse(await stripe.checkout.sessions.expire(sessionId))
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    throw new PermanentError('paid_already', {}, { cause: error })
  }
}
