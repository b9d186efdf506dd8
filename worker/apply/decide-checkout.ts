import { type CheckoutIntent, recipientOf } from '../../schema/checkout/intents.ts'
import type { CheckoutEventType } from '../../schema/stripe/event-types.ts'
import type { CheckoutSession } from '../../schema/stripe/events.ts'
import { PermanentError } from '../errors.ts'

/** What we are told of a session: by which event, or by a look at Stripe, and when. */
export interface CheckoutNews {
  readonly session: CheckoutSession
  readonly signal: CheckoutEventType | 'fetched'
  /** Only when fetched: how the payment stands, which the session alone does not say. */
  readonly payment_intent_status?: string | null
  readonly event_id: string | null
  readonly occurred_at: Date
  readonly actor: string
}

export type CheckoutDecision =
  | { readonly action: 'settle' }
  | { readonly action: 'await_payment' }
  | { readonly action: 'fail'; readonly reason: string }
  | { readonly action: 'expire' }
  | { readonly action: 'none'; readonly reason: string }

/**
 * Says what follows from the news, without doing it. Money decides: whatever else we were told before, a session that is paid
 * settles its intent, and a settled intent stays so; the other answers only fill in what is still open. That makes the result
 * the same in whatever order the news come.
 *
 * Throws PermanentError when Stripe took another amount, currency or session than the intent promised.
 */
export function decideCheckout(intent: CheckoutIntent, news: CheckoutNews): CheckoutDecision {
  const { session } = news
  if (intent.stripe_session_id !== null && intent.stripe_session_id !== session.id) {
    throw new PermanentError(
      `Intent ${intent.id} belongs to ${intent.stripe_session_id}, not to ${session.id}`,
    )
  }
  if (intent.state === 'settled') return { action: 'none', reason: 'The ledger has it already' }
  if (session.payment_status === 'paid') {
    // One that names its subscription does not come here.
    if (session.mode === 'subscription') {
      throw new PermanentError(`Session ${session.id} for a plan was paid and names no subscription`)
    }
    checkPromise(intent, session)
    return { action: 'settle' }
  }
  if (session.payment_status === 'no_payment_required') {
    throw new PermanentError(`Session ${session.id} was completed without a payment`)
  }
  if (news.signal === 'checkout.session.async_payment_failed' || isPaymentLost(news)) {
    return { action: 'fail', reason: 'The payment failed' }
  }
  // One that has failed keeps its reason.
  if (session.status === 'expired' && intent.state !== 'failed') return { action: 'expire' }
  if (session.status === 'complete' && (intent.state === 'created' || intent.state === 'open')) {
    return { action: 'await_payment' }
  }
  return { action: 'none', reason: 'Nothing has been paid yet' }
}

/** A complete session whose payment wants another method will never be paid: the delayed payment has failed. */
function isPaymentLost(news: CheckoutNews): boolean {
  return (
    news.session.status === 'complete' &&
    (news.payment_intent_status === 'requires_payment_method' || news.payment_intent_status === 'canceled')
  )
}

function checkPromise(intent: CheckoutIntent, session: CheckoutSession): void {
  if (intent.kind !== 'credit_purchase') {
    throw new PermanentError(`Intent ${intent.id} is for a plan, session ${session.id} is no subscription`)
  }
  if (!recipientOf(intent)) throw new PermanentError(`Intent ${intent.id} names nobody to grant credits to`)
  if (session.amount_total !== intent.amount_minor || session.currency?.toUpperCase() !== intent.currency) {
    throw new PermanentError(
      `Intent ${intent.id} promised ${intent.amount_minor} ${intent.currency}, ` +
        `session ${session.id} took ${session.amount_total} ${session.currency?.toUpperCase()}`,
    )
  }
}
