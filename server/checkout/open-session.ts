import Stripe from 'stripe'
import { failureOf, sumFigure } from '../../schema/api/failures.ts'
import { attachSession, type CheckoutIntent, recordCustomer } from '../../schema/billing/checkout/intents.ts'
import { recordUncertainty } from '../../schema/billing/checkout/open-checkouts.ts'
import { failIntent } from '../../schema/billing/checkout/outcomes.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkoutRefused, checkoutUncertain, priceUnavailable, refusal, ServerError } from '../errors.ts'
import { ensureStripeCustomer, type Payer } from './payer.ts'

export interface OpenedCheckout {
  readonly url: string
  readonly sessionId: string
  readonly intentId: string
}

export interface CheckoutToOpen {
  /** Already committed. */
  readonly intent: CheckoutIntent
  readonly payer: Payer
  readonly params: Omit<Stripe.Checkout.SessionCreateParams, 'customer'>
}

type Deps = Pick<Dependencies, 'db' | 'stripe' | 'metrics'>
type StripeError = InstanceType<typeof Stripe.errors.StripeError>

/**
 * Opens the hosted payment page for an intent that is already committed. When Stripe refuses, the intent
 * fails at once. When the outcome is unknown (no answer, 5xx, 429) it stays `created`, and the claim finds
 * out whether there is a session.
 *
 * The address is returned only while the intent is open, so a session whose intent another tab has closed
 * cannot be paid.
 */
export async function openSession(
  deps: Deps,
  checkout: CheckoutToOpen,
  requestLog: RequestLog,
): Promise<OpenedCheckout> {
  const { intent, payer, params } = checkout
  const customer = await ensureCustomer(deps, intent, payer)
  await recordCustomer(deps.db, { id: intent.id, stripe_customer_id: customer })
  return publish(deps, intent, await createSession(deps, intent, { ...params, customer }), requestLog)
}

/**
 * Opens the page of an intent whose request has not come back: its server was killed, or is slow. The same
 * key and the same parameters make Stripe return the same session to every caller. `in_use` while Stripe
 * still works on the other call; `failed` when the intent cannot be completed and its address was never
 * returned to a client.
 */
export async function reopenSession(
  deps: Deps,
  { intent, payer, session_params }: { intent: CheckoutIntent; payer: Payer; session_params: string },
  requestLog: RequestLog,
): Promise<OpenedCheckout | 'in_use' | 'failed'> {
  let session: Stripe.Checkout.Session
  try {
    const customer = intent.stripe_customer_id ?? (await ensureStripeCustomer(deps, payer, intent.id))
    await recordCustomer(deps.db, { id: intent.id, stripe_customer_id: customer })
    session = await deps.stripe.checkout.sessions.create(
      { ...(JSON.parse(session_params) as CheckoutToOpen['params']), customer },
      { idempotencyKey: intent.id, maxNetworkRetries: 0 },
    )
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    if (error.statusCode === 409) return 'in_use'
    requestLog.log.info({ err: error, intent_id: intent.id }, 'A checkout could not be opened again')
    return 'failed'
  }
  requestLog.note({ intent_id: intent.id })
  return publish(deps, intent, session, requestLog)
}

/** The address of an intent's session, if the intent is open and the session has its terms. */
async function publish(
  deps: Deps,
  intent: CheckoutIntent,
  session: Stripe.Checkout.Session,
  requestLog: RequestLog,
): Promise<OpenedCheckout> {
  requestLog.note({ session_id: session.id })
  const { id, amount_minor, currency } = intent
  const [expected, found] = [sumFigure(amount_minor, currency), priceOf(intent, session)]
  if (expected !== found) {
    const failure_reason = failureOf('differs', { id: session.id, in: 'price', expected, found })
    await failIntent(deps.db, { id, failure_code: 'terms_mismatch', failure_reason })
    await withdraw(deps, session, requestLog)
    throw priceUnavailable(new Error(failure_reason))
  }
  const state = await attachSession(deps.db, { id, stripe_session_id: session.id })
  if (state !== 'open') {
    await withdraw(deps, session, requestLog)
    throw refusal('checkout_superseded')
  }
  if (!session.url) throw new ServerError(502, 'checkout_failed', 'No checkout URL received')
  deps.metrics.checkouts.inc({ outcome: 'opened' })
  return { url: session.url, sessionId: session.id, intentId: id }
}

async function ensureCustomer(deps: Deps, intent: CheckoutIntent, payer: Payer): Promise<string> {
  try {
    return await ensureStripeCustomer(deps, payer, intent.id)
  } catch (error) {
    // Without a customer there can be no session, so the claim would have nothing to find.
    if (error instanceof Stripe.errors.StripeError) throw await refuse(deps, intent, error)
    throw error
  }
}

async function createSession(
  deps: Deps,
  intent: CheckoutIntent,
  params: Stripe.Checkout.SessionCreateParams,
): Promise<Stripe.Checkout.Session> {
  try {
    return await deps.stripe.checkout.sessions.create(params, { idempotencyKey: intent.id })
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    throw isRefusal(error) ? await refuse(deps, intent, error) : await leaveUncertain(deps, intent, error)
  }
}

/**
 * What a session asks for. The total at the start of a trial is not documented (`amount_total` may be null), so
 * there it is the price of its one line after the trial.
 */
function priceOf(
  { trial_days }: CheckoutIntent,
  { amount_total, currency, line_items }: Stripe.Checkout.Session,
) {
  if (trial_days === 0) return sumFigure(amount_total, currency)
  const [line, ...others] = line_items?.data ?? []
  const each = line?.price?.currency_options?.[currency ?? '']?.unit_amount
  const quantity = others.length === 0 ? line?.quantity : null
  return sumFigure(each && quantity ? each * quantity : null, currency)
}

/** Its address was never returned to a client, so it cannot be paid; expiring it only tidies up at Stripe. */
async function withdraw(deps: Deps, session: { id: string }, requestLog: RequestLog): Promise<void> {
  await deps.stripe.checkout.sessions.expire(session.id).catch((error: unknown) => {
    requestLog.log.warn(
      { err: error, session_id: session.id },
      'An unused checkout session could not be expired',
    )
  })
}

async function refuse(deps: Deps, { id }: CheckoutIntent, error: StripeError): Promise<Error> {
  const failure_reason = failureOf('stripe_refuses', { says: error.code ?? error.type })
  await failIntent(deps.db, { id, failure_code: 'refused_by_stripe', failure_reason })
  deps.metrics.checkouts.inc({ outcome: 'refused' })
  return checkoutRefused(error)
}

async function leaveUncertain(deps: Deps, { id }: CheckoutIntent, error: StripeError): Promise<Error> {
  await recordUncertainty(deps.db, { id, failure_reason: failureOf('stripe_away') })
  deps.metrics.checkouts.inc({ outcome: 'uncertain' })
  return checkoutUncertain(error)
}

/** A 4xx is final, except 409 (another request with the same key is in progress) and 429 (rate limit). */
function isRefusal(error: StripeError): boolean {
  const status = error.statusCode ?? 0
  return status >= 400 && status < 500 && status !== 409 && status !== 429
}
