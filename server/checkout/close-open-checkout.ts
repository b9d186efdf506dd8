import Stripe from 'stripe'
import {
  type CheckoutIntent,
  findIntent,
  isUnfinished,
  type NewCheckoutIntent,
} from '../../schema/billing/checkout/intents.ts'
import { expireIntent } from '../../schema/billing/checkout/open-checkouts.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { refusal } from '../errors.ts'
import { type OpenedCheckout, reopenSession } from './open-session.ts'
import type { Payer } from './payer.ts'
import { requestCompletion } from './request-completion.ts'

type Deps = Pick<Dependencies, 'db' | 'stripe' | 'producer' | 'metrics' | 'settings' | 'now'>

interface Collision {
  readonly found: CheckoutIntent
  /** Not in the database yet. */
  readonly wanted: NewCheckoutIntent
  readonly payer: Payer
}

/** How long the second of two clicks waits for the page of the first, while Stripe is still making it. */
const openingLimitMs = 10_000
/** How long it waits before it asks Stripe for the page itself. */
const headStartMs = 500

/**
 * An owner has one open checkout at a time. Returns the page of the open one when its terms are the same;
 * otherwise closes it and returns null, and the caller tries again. An intent is closed only when it can no
 * longer be paid: because Stripe says that its session is expired, or because the address of its session was
 * never returned to a client.
 *
 * Throws `checkout_in_progress` when it has just been paid.
 */
export async function closeOpenCheckout(
  deps: Deps,
  collision: Collision,
  requestLog: RequestLog,
): Promise<OpenedCheckout | null> {
  const { found, wanted } = collision
  const open = haveSameTerms(found, wanted) ? await awaitSession(deps, collision, requestLog) : found
  if (!open) return null
  if ('url' in open) return open
  if (!open.stripe_session_id) {
    // The request that is opening it will find it closed and return no address.
    await expireIntent(deps.db, open)
    return null
  }
  const session = await deps.stripe.checkout.sessions.retrieve(open.stripe_session_id)
  if (session.status === 'complete') {
    await requestCompletion(deps, open, { cause: 'session_status', requestLog })
    throw refusal('checkout_in_progress', { retry_after_s: 5 })
  }
  if (session.status === 'open' && session.url && haveSameTerms(open, wanted)) {
    requestLog.note({ intent_id: open.id, session_id: session.id })
    return { url: session.url, sessionId: session.id, intentId: open.id }
  }
  if (session.status === 'expired' || (await expireSession(deps.stripe, session.id))) {
    await expireIntent(deps.db, open)
  }
  return null
}

/**
 * Whether an open checkout has the same terms and buyer, so that its page can be reused. A request without a
 * name for the organization takes the one that was chosen before.
 */
function haveSameTerms(open: CheckoutIntent, wanted: NewCheckoutIntent): boolean {
  if (wanted.organization_name && open.organization_name !== wanted.organization_name) return false
  if (open.ends_subscription_id !== (wanted.ends_subscription_id ?? null)) return false
  const fields = ['user_id', 'owner_id', 'offer_id', 'quantity', 'trial_days'] as const
  return fields.every((field) => open[field] === wanted[field])
}

/**
 * A second click while the page of the first is being opened gets the same page. Usually the first one has it
 * in a moment; when it takes longer, perhaps because its server was killed, the page is opened again, which
 * gives the same one.
 */
async function awaitSession(
  deps: Deps,
  { found, payer }: Collision,
  requestLog: RequestLog,
): Promise<CheckoutIntent | OpenedCheckout | null> {
  let intent: CheckoutIntent | undefined = found
  const begunAt = performance.now()
  let callAt = begunAt + headStartMs
  for (let pauseMs = 20; intent && isBeingOpened(intent); pauseMs *= 1.5) {
    if (performance.now() > begunAt + openingLimitMs) break
    if (performance.now() >= callAt && intent.session_params) {
      const opened = await reopenSession(
        deps,
        { intent, payer, session_params: intent.session_params },
        requestLog,
      )
      if (opened === 'failed') return intent
      if (opened !== 'in_use') return opened
      callAt = performance.now() + headStartMs
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, 250)))
    intent = await findIntent(deps.db, found.id)
  }
  return intent && isUnfinished(intent) ? intent : null
}

function isBeingOpened(intent: CheckoutIntent): boolean {
  return intent.state === 'created' && intent.stripe_session_id === null && intent.failure_code === null
}

/** Whether Stripe expires the session. It refuses when the session was just paid. */
async function expireSession(stripe: Stripe, sessionId: string): Promise<boolean> {
  try {
    return (await stripe.checkout.sessions.expire(sessionId)).status === 'expired'
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false
    throw error
  }
}
