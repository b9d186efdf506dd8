import Stripe from 'stripe'
import { failureOf } from '../../schema/api/failures.ts'
import {
  type CheckoutTerms,
  findIntent,
  findUnsettledOfDeleted,
  isTrialUsed,
  lockIntent,
} from '../../schema/billing/checkout/intents.ts'
import { type IntentOutcome, recordOutcome } from '../../schema/billing/checkout/outcomes.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { type CheckoutSession, checkoutSessionSchema, idOf } from '../../schema/vendors/stripe/events.ts'
import { withTransfers } from '../../schema/vendors/stripe/log-ids.ts'
import { intentIdOf } from '../../schema/vendors/stripe/metadata.ts'
import { refundPayment } from '../../schema/vendors/stripe/refund-all.ts'
import { type Cause, postPurchaseDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError, PermanentError } from '../errors.ts'
import { foundOrForeign } from './foreign.ts'
import { ignore, type Nothing, type Outcome } from './outcome.ts'
import type { StripeSubject } from './stripe-subject.ts'
import { isOwnerGone } from './subscription/end-if-owner-is-gone.ts'
import { fetchSubscriptionToApply, type SubscriptionToApply } from './subscription/sync-subscription.ts'
import { requireCredits, requirePrice } from './terms.ts'

/** A session as Stripe has it at one moment. */
export interface FetchedSession {
  readonly session: CheckoutSession
  /** The status of its payment, which the session alone does not have; null when there is none. */
  readonly payment_intent_status: string | null
}

/** A checkout's session as Stripe has it, unless it led to a subscription. */
export interface CheckoutToApply extends FetchedSession {
  readonly of: 'checkout'
  readonly intent_id: string
}

/**
 * Fetches a checkout's session, and the subscription that it led to. `intent_id` is whose it is said to be:
 * only with an intent of ours does it matter that Stripe has no such session.
 */
export async function fetchCheckout(
  deps: WorkerDependencies,
  { session_id, intent_id }: Extract<StripeSubject, { of: 'checkout' }>,
): Promise<CheckoutToApply | SubscriptionToApply | Nothing> {
  const found = await foundOrForeign(
    session_id,
    () => deps.stripe.checkout.sessions.retrieve(session_id, { expand: ['payment_intent'] }),
    async () => (await findIntent(deps.db, intent_id)) !== undefined,
  )
  if ('of' in found) return found
  const its = intentIdOf(found)
  if (!its) return ignore('not_sold', { id: session_id })
  const session = (await endForUsedTrial(deps, its, found)) ?? (await endForDeleted(deps, its, found))
  if (session.mode === 'subscription' && session.subscription) {
    return fetchSubscriptionToApply(deps, session.subscription, { id: session.id, intent_id: its })
  }
  const { payment_intent } = found
  const payment_intent_status =
    payment_intent && typeof payment_intent === 'object' ? payment_intent.status : null
  return { of: 'checkout', intent_id: its, session, payment_intent_status }
}

/** Closes a payment page that promises a trial which its buyer has had meanwhile. */
async function endForUsedTrial(
  { db, stripe }: WorkerDependencies,
  intentId: string,
  { id, status }: Stripe.Checkout.Session,
): Promise<CheckoutSession | null> {
  const intent = status === 'open' ? await findIntent(db, intentId) : undefined
  if (!intent || !(await isTrialUsed(db, intent))) return null
  return closePage(stripe, id)
}

/**
 * Closes the payment page of a buyer or an owner who was deleted, and gives back what was paid for an owner
 * who is gone before it is granted: a bank confirms a debit up to two weeks later
 * (https://docs.stripe.com/payments/sepa-debit). Returns the session as it is then.
 */
async function endForDeleted(
  deps: WorkerDependencies,
  intentId: string,
  found: Stripe.Checkout.Session,
): Promise<CheckoutSession> {
  const intent = await findUnsettledOfDeleted(deps.db, intentId)
  if (intent) {
    const hasNoOwner = await isOwnerGone(deps, intent.owner_id ?? intent.user_id)
    if (found.status === 'open' && (hasNoOwner || (await isOwnerGone(deps, intent.user_id)))) {
      const closed = await closePage(deps.stripe, found.id)
      if (closed) return closed
    }
    const { payment_intent: paid } = found
    if (hasNoOwner && found.payment_status === 'paid' && paid) await refundPayment(deps.stripe, idOf(paid))
  }
  return checkoutSessionSchema.parse(found)
}

/** Null where Stripe refuses: it was paid just now, of which an event follows. */
async function closePage(stripe: Stripe, id: string): Promise<CheckoutSession | null> {
  try {
    return checkoutSessionSchema.parse(await stripe.checkout.sessions.expire(id))
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return null
    throw error
  }
}

/**
 * Carries out what follows from a checkout's session. Transactions lock events before intents and
 * intents before owners, so two that lock some of the same cannot deadlock. Applying a subscription locks its
 * owner before its intent, which is none of a purchase's.
 */
export async function applyCheckout(
  trx: DatabaseTransaction,
  { intent_id, ...fetched }: CheckoutToApply,
  cause: Cause,
): Promise<Outcome> {
  const intent = await lockIntent(trx, intent_id)
  // The server commits an intent before it calls Stripe, and a restored backup may be behind.
  if (!intent) throw new NotYetError('not_found', { what: 'checkout', id: intent_id })
  const decision = decideCheckout(intent, fetched)
  if ('none' in decision) return { state: 'applied', reason: decision.none, ids: { intent_id } }
  const outcome = { id: intent.id, stripe_session_id: fetched.session.id, ...decision }
  await recordOutcome(trx, outcome)
  // The day of a purchase in the books is that of its payment, however late it is heard of.
  const then = { ...cause, now: cause.occurred_at ?? cause.now }
  const posted =
    outcome.state === 'settled' ? await postPurchaseDifference(trx, { ...intent, ...outcome }, then) : []
  return { state: 'applied', reason: null, ids: withTransfers({ intent_id }, posted) }
}

/** The state that an intent comes to, or why it stays in its own. */
export type CheckoutDecision = Pick<IntentOutcome, 'state' | 'failure'> | { readonly none: string }

/**
 * Decides what follows from a session, without doing it. One that is paid always settles its intent, and a
 * settled intent stays so; everything else only changes an intent that is still open. So the result does not
 * depend on which of two that were fetched is applied first.
 *
 * Throws PermanentError when Stripe took another amount, currency or session than the terms of the intent.
 */
export function decideCheckout(intent: CheckoutTerms, fetched: FetchedSession): CheckoutDecision {
  const { session } = fetched
  if (intent.stripe_session_id !== null && intent.stripe_session_id !== session.id) {
    const other_id = intent.stripe_session_id
    throw new PermanentError('second_one', { of: intent.id, id: session.id, other_id })
  }
  if (intent.state === 'settled') return { none: failureOf('done_already') }
  if (session.payment_status === 'paid') {
    // One that names its subscription does not come here.
    if (session.mode === 'subscription') throw new PermanentError('lacks', { what: 'subscription' })
    requireTerms(intent, session)
    return { state: 'settled' }
  }
  if (session.payment_status === 'no_payment_required') {
    throw new PermanentError('lacks', { what: 'payment' })
  }
  if (isPaymentLost(fetched)) {
    const failure = { failure_code: 'payment_failed', failure_reason: 'payment_failed' } as const
    return { state: 'failed', failure }
  }
  // One that has failed keeps its reason.
  if (session.status === 'expired' && intent.state !== 'failed') return { state: 'expired' }
  if (session.status === 'complete' && (intent.state === 'created' || intent.state === 'open')) {
    return { state: 'awaiting_payment' }
  }
  return { none: failureOf('nothing_paid') }
}

/**
 * A complete session whose payment requires another payment method will never be paid: the delayed payment
 * has failed.
 */
function isPaymentLost({ session, payment_intent_status }: FetchedSession): boolean {
  return (
    session.status === 'complete' &&
    (payment_intent_status === 'requires_payment_method' || payment_intent_status === 'canceled')
  )
}

function requireTerms(intent: CheckoutTerms, session: CheckoutSession): void {
  requireCredits(intent)
  if (!intent.owner_id) throw new PermanentError('lacks', { what: 'recipient' })
  requirePrice(intent, { id: session.id, amount_minor: session.amount_total, currency: session.currency })
}
