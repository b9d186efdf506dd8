import { type CheckoutFailure, type CheckoutTerms, recipientOf } from '../../schema/checkout/intents.ts'
import type { CheckoutEventType } from '../../schema/stripe/event-types.ts'
import type { CheckoutSession } from '../../schema/stripe/events.ts'
import { PermanentError } from '../errors.ts'

/** The news of a session: from which event, or fetched from Stripe, and when. */
export interface CheckoutNews {
  readonly session: CheckoutSession
  readonly signal: CheckoutEventType | 'fetched'
  /** Only when fetched: the status of the payment, which the session alone does not have. */
  readonly payment_intent_status?: string | null
  readonly event_id: string | null
  readonly occurred_at: Date
  readonly actor: string
}

export type CheckoutDecision =
  | { readonly action: 'settle' }
  | { readonly action: 'await_payment' }
  | ({ readonly action: 'fail' } & CheckoutFailure)
  | { readonly action: 'expire' }
  | { readonly action: 'none'; readonly reason: string }

/**
 * Decides what follows from the news, without doing it. A session that is paid always settles its intent, and
 * a settled intent stays so; other news only change an intent that is still open. So the result does not
 * depend on the order of the news.
 *
 * Throws PermanentError when Stripe took another amount, currency or session than the terms of the intent.
 */
export function decideCheckout(intent: CheckoutTerms, news: CheckoutNews): CheckoutDecision {
  const { session } = news
  if (intent.stripe_session_id !== null && intent.stripe_session_id !== session.id) {
    throw new PermanentError(
      `Intent ${intent.id} belongs to ${intent.stripe_session_id}, not to ${session.id}`,
    )
  }
  if (intent.state === 'settled') return { action: 'none', reason: 'It is settled already' }
  if (session.payment_status === 'paid') {
    // One that names its subscription does not come here.
    if (session.mode === 'subscription') {
      throw new PermanentError(`Session ${session.id} for a plan was paid and names no subscription`)
    }
    requireTerms(intent, session)
    return { action: 'settle' }
  }
  if (session.payment_status === 'no_payment_required') {
    throw new PermanentError(`Session ${session.id} was completed without a payment`)
  }
  if (news.signal === 'checkout.session.async_payment_failed' || isPaymentLost(news)) {
    return { action: 'fail', failure_code: 'payment_failed', failure_reason: 'The payment failed' }
  }
  // One that has failed keeps its reason.
  if (session.status === 'expired' && intent.state !== 'failed') return { action: 'expire' }
  if (session.status === 'complete' && (intent.state === 'created' || intent.state === 'open')) {
    return { action: 'await_payment' }
  }
  return { action: 'none', reason: 'Nothing has been paid yet' }
}

/**
 * A complete session whose payment requires another payment method will never be paid: the delayed payment
 * has failed.
 */
function isPaymentLost(news: CheckoutNews): boolean {
  return (
    news.session.status === 'complete' &&
    (news.payment_intent_status === 'requires_payment_method' || news.payment_intent_status === 'canceled')
  )
}

function requireTerms(intent: CheckoutTerms, session: CheckoutSession): void {
  if (intent.kind !== 'credit_purchase') {
    throw new PermanentError(`Intent ${intent.id} is for a plan, session ${session.id} is not a subscription`)
  }
  if (!recipientOf(intent)) throw new PermanentError(`Intent ${intent.id} has no recipient for the credits`)
  if (session.amount_total !== intent.amount_minor || session.currency?.toUpperCase() !== intent.currency) {
    throw new PermanentError(
      `Intent ${intent.id} promised ${intent.amount_minor} ${intent.currency}, ` +
        `session ${session.id} took ${session.amount_total} ${session.currency?.toUpperCase()}`,
    )
  }
}
