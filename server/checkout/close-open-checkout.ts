import Stripe from 'stripe'
import {
  type CheckoutIntent,
  findIntent,
  type NewSubscriptionCheckout,
} from '../../schema/checkout/intents.ts'
import { expireIntent } from '../../schema/checkout/open-checkouts.ts'
import type { Trace } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkoutInProgress } from '../errors.ts'
import type { OpenedCheckout } from './open-session.ts'
import { isSamePromise } from './promise-subscription.ts'
import { requestCompletion } from './request-completion.ts'

type Deps = Pick<Dependencies, 'db' | 'stripe' | 'producer' | 'metrics' | 'settings' | 'now'>

interface Collision {
  readonly found: CheckoutIntent
  /** Not in the database yet. */
  readonly wanted: NewSubscriptionCheckout
}

/** How long the second of two clicks waits for the page of the first. */
const openingLimitMs = 10_000

/**
 * An owner has one open checkout at a time. Returns the page of the open one when it promises the same; otherwise closes it and
 * returns null, and the caller tries again. An intent is closed only when it can no longer be paid: because Stripe says that its
 * session is expired, or because the address of its session was never returned to anybody.
 *
 * Throws checkoutInProgress when it has just been paid.
 */
export async function closeOpenCheckout(
  deps: Deps,
  { found, wanted }: Collision,
  trace: Trace,
): Promise<OpenedCheckout | null> {
  const open = await awaitSession(deps, found, wanted)
  if (!open) return null
  if (!open.stripe_session_id) {
    // The request that is opening it will find it closed and return no address.
    await expireIntent(deps.db, open)
    return null
  }
  const session = await deps.stripe.checkout.sessions.retrieve(open.stripe_session_id)
  if (session.status === 'complete') {
    await requestCompletion(deps, open, { cause: 'session_status', trace })
    throw checkoutInProgress()
  }
  if (session.status === 'open' && session.url && isSamePromise(open, wanted)) {
    trace.note({ intent_id: open.id, session_id: session.id })
    return { url: session.url, sessionId: session.id, intentId: open.id }
  }
  if (session.status === 'expired' || (await expireSession(deps.stripe, session.id))) {
    await expireIntent(deps.db, open)
  }
  return null
}

/** A second click while the page of the first is being opened gets the same page as soon as there is one. */
async function awaitSession(
  deps: Deps,
  found: CheckoutIntent,
  wanted: NewSubscriptionCheckout,
): Promise<CheckoutIntent | null> {
  let intent: CheckoutIntent | undefined = found
  const isBeingOpened = (seen: CheckoutIntent) =>
    seen.state === 'created' && seen.stripe_session_id === null && seen.failure_reason === null
  if (!isSamePromise(found, wanted)) return found
  const deadline = performance.now() + openingLimitMs
  for (let pauseMs = 20; intent && isBeingOpened(intent) && performance.now() < deadline; pauseMs *= 1.5) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, 500)))
    intent = await findIntent(deps.db, found.id)
  }
  const isOpen =
    intent?.state === 'created' || intent?.state === 'open' || intent?.state === 'awaiting_payment'
  return intent && isOpen ? intent : null
}

/** Whether Stripe confirms that the session can no longer be paid. It refuses when it was paid a moment ago. */
async function expireSession(stripe: Stripe, sessionId: string): Promise<boolean> {
  try {
    return (await stripe.checkout.sessions.expire(sessionId)).status === 'expired'
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false
    throw error
  }
}
