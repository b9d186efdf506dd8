import type Stripe from 'stripe'
import {
  createCreditTopupSession,
  type Fulfilment,
  getSessionStatus,
  listOpenCheckouts,
  type OpenCheckout,
  processPaymentSuccess,
  purchaseCredits,
} from '../../schema/api/checkout.ts'
import type { ResponseOf } from '../../schema/api/endpoint.ts'
import {
  type CheckoutIntent,
  findIntentBySession,
  type IntentState,
} from '../../schema/billing/checkout/intents.ts'
import { listOpenIntents } from '../../schema/billing/checkout/open-checkouts.ts'
import { readUnusedRefund } from '../../schema/billing/position/unused-refund.ts'
import {
  findSubscription,
  findSubscriptionOfIntent,
  type Subscription,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { currencySchema } from '../../schema/catalogue/schemas.ts'
import { type Database, inSnapshot } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findUser } from '../../schema/people/users/users.ts'
import { type CheckoutSession, checkoutSessionSchema } from '../../schema/vendors/stripe/events.ts'
import { type CheckoutMetadata, checkoutMetadataSchema } from '../../schema/vendors/stripe/metadata.ts'
import { requestCompletion } from '../checkout/request-completion.ts'
import { returnAddresses, returnPages } from '../checkout/return-address.ts'
import { metadataOf } from '../checkout/session-params.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidRequest, RouteFailedError, refusal, StripeAnswerError } from '../errors.ts'
import { checkoutFailure, type Failure, rowsFailure } from '../failures.ts'
import { oneself, theOwner, theUser } from '../rights.ts'
import { route } from '../route.ts'

const statusFailure: Failure = {
  text: 'Failed to verify payment status',
  database: 'Failed to verify payment status',
  stripe: (cause) => new RouteFailedError(502, 'payment_status_unavailable', { cause }),
}

/** A user who navigated back and forth has several pages of one order. */
const openCheckoutsRead = 20
const openCheckoutsShown = 3

export const checkoutRoutes = [
  route(purchaseCredits, {
    rights: theUser(({ body }) => body.clerkUserId),
    failure: checkoutFailure('Failed to create checkout session'),
  }).handle(async ({ body, user_id, attempt_id, requestLog }, deps) => {
    if (!isPrice(body.amount, body.credits)) {
      const text = `The amount is not the price of ${body.credits.toLocaleString('en-US')} credits. Please reload the page.`
      throw invalidRequest(text, [{ path: 'amount', message: 'Not the catalogue price' }], 'amount_mismatch')
    }
    const returns = returnPages(deps.settings, { success: '/billing/success', cancel: '/payment/cancelled' })
    const { credits, currency } = body
    return startCreditPurchase(deps, { attempt_id, user_id, credits, currency, returns }, requestLog)
  }),

  route(createCreditTopupSession, {
    rights: theUser(({ body }) => body.clerkUserId),
    failure: checkoutFailure('Failed to create top-up session'),
  }).handle(async ({ body, user_id, attempt_id, requestLog }, deps) => {
    const returns = returnAddresses(deps.settings, body)
    const { creditsAmount: credits, currency } = body
    return startCreditPurchase(deps, { attempt_id, user_id, credits, currency, returns }, requestLog)
  }),

  // A settled checkout is answered from our own rows. For others the session is fetched from Stripe, and when
  // it is paid but not in the ledger, the worker is asked to settle it, so that a webhook that never arrives
  // does no harm.
  route(getSessionStatus, {
    rights: theOwner,
    failure: statusFailure,
  }).handle(async ({ query, user_id, requestLog }, deps) => {
    const intent = await findIntentBySession(deps.db, { stripe_session_id: query.session_id, user_id })
    if (!intent) throw refusal('session_not_found')
    requestLog.note({ intent_id: intent.id })
    const email = (await findUser(deps.db, user_id))?.email ?? null
    const data =
      intent.state === 'settled'
        ? {
            ...settledData(intent, { email, subscription: await findBought(deps.db, intent) }),
            ended_plan: await findEndedPlan(deps, intent),
          }
        : sessionData(await fetchSession(deps.stripe, query.session_id), intent, email)
    const fulfilment = await presentFulfilment(deps.db, intent)
    const waits = intent.state !== 'settled' && data.payment_status !== 'unpaid' && data.status === 'complete'
    if (!waits) return { success: true, data: { ...data, fulfilment } }
    const queued = await requestCompletion(deps, intent, { cause: 'session_status', requestLog })
    const stage = queued ? 'queued' : 'received'
    return { success: true, data: { ...data, fulfilment: { ...fulfilment, stage } } }
  }),

  // Called by the return page. It makes the worker fetch the session and never grants.
  route(processPaymentSuccess, {
    rights: theUser(({ body }) => body.clerkUserId),
    failure: rowsFailure('Failed to process payment'),
  }).handle(async ({ body, user_id, requestLog }, deps) => {
    const intent = await findIntentBySession(deps.db, { stripe_session_id: body.sessionId, user_id })
    if (!intent) throw refusal('session_not_found')
    requestLog.note({ intent_id: intent.id })
    if (intent.state !== 'settled')
      await requestCompletion(deps, intent, { cause: 'return_page', requestLog })
    return { success: true, fulfilment: await presentFulfilment(deps.db, intent) }
  }),

  // Ours say which orders were left, Stripe which of them can still be paid.
  route(listOpenCheckouts, { rights: oneself, failure: statusFailure }).handle(
    async ({ user_id }, { db, stripe }) => {
      const intents = await listOpenIntents(db, { user_id, limit: openCheckoutsRead })
      const orders = new Map<string, CheckoutIntent>()
      for (const intent of intents) {
        if (!orders.has(orderOf(intent))) orders.set(orderOf(intent), intent)
      }
      const latest = [...orders.values()].slice(0, openCheckoutsShown)
      const checkouts = await Promise.all(latest.map((intent) => presentOpen(stripe, intent)))
      return { checkouts: checkouts.filter((checkout) => checkout !== null) }
    },
  ),
]

/** Major units, at most two decimals. The tolerance is for floating-point numbers such as 1.4. */
function isPrice(amount: number, credits: number): boolean {
  return Math.abs(amount * 100 - creditsCostMinor(credits)) < 1e-6
}

type SessionData = Omit<ResponseOf<typeof getSessionStatus>['data'], 'fulfilment'>

interface FetchedSession extends CheckoutSession {
  readonly customer_email: string | null
  readonly subscription_id: string | null
}

async function fetchSession(stripe: Stripe, sessionId: string): Promise<FetchedSession> {
  const session = await stripe.checkout.sessions.retrieve(sessionId)
  const parsed = checkoutSessionSchema.safeParse(session)
  if (!parsed.success) {
    throw new StripeAnswerError(`Session ${sessionId} does not match our schema`, { cause: parsed.error })
  }
  const { subscription } = session
  return {
    ...parsed.data,
    customer_email: session.customer_details?.email ?? session.customer_email,
    subscription_id: typeof subscription === 'string' ? subscription : (subscription?.id ?? null),
  }
}

async function findBought(db: Database, intent: CheckoutIntent): Promise<Subscription | undefined> {
  return intent.kind === 'subscription' ? findSubscriptionOfIntent(db, intent.id) : undefined
}

/** The plan in whose place this one was paid. What it gives back is decided when Stripe has ended it. */
async function findEndedPlan(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  intent: CheckoutIntent,
): Promise<SessionData['ended_plan']> {
  if (!intent.ends_subscription_id) return undefined
  const plan = await findSubscription(db, intent.ends_subscription_id)
  if (plan?.replaced_by !== intent.id) return undefined
  const { plan_type, currency, ended_at } = plan
  const refund_minor = ended_at
    ? plan.unused_refund_minor
    : (await inSnapshot(db, (trx) => readUnusedRefund(trx, plan, now())))?.amount_minor
  return { plan_type, currency, refund_minor: refund_minor ?? 0, is_final: ended_at !== null }
}

/** For a plan that began with a trial nothing has been paid. */
function settledData(
  intent: CheckoutIntent,
  known: { readonly email: string | null; readonly subscription: Subscription | undefined },
): SessionData {
  const isTrial = intent.trial_days > 0
  const trialEnd = isTrial ? known.subscription?.trial_end : null
  return {
    status: 'complete',
    payment_status: isTrial ? 'no_payment_required' : 'paid',
    amount_total: isTrial ? 0 : intent.amount_minor,
    currency: intent.currency,
    price_minor: intent.amount_minor,
    customer_email: known.email,
    subscription_id: known.subscription?.stripe_subscription_id ?? null,
    ...(trialEnd && { trial_ends_at: trialEnd.toISOString() }),
    metadata: presentMetadata(metadataOf(intent)),
  }
}

function sessionData(session: FetchedSession, intent: CheckoutIntent, email: string | null): SessionData {
  return {
    status: session.status,
    payment_status: session.payment_status,
    amount_total: session.amount_total ?? intent.amount_minor,
    currency: currencySchema.safeParse(session.currency?.toUpperCase()).data ?? intent.currency,
    price_minor: intent.amount_minor,
    customer_email: session.customer_email ?? email,
    subscription_id: session.subscription_id,
    metadata: presentMetadata(checkoutMetadataSchema.parse(session.metadata ?? {})),
  }
}

function presentMetadata({ intentId: _ours, ...metadata }: CheckoutMetadata): SessionData['metadata'] {
  return metadata
}

const presentedStates: Readonly<Record<IntentState, Fulfilment['state']>> = {
  created: 'pending',
  open: 'pending',
  awaiting_payment: 'pending',
  settled: 'applied',
  failed: 'failed',
  expired: 'expired',
}

/** The outcome of a purchase; applied only when the intent is settled and its transfer posted. */
async function presentFulfilment(db: Database, intent: CheckoutIntent): Promise<Fulfilment> {
  const recipient = intent.owner_id
  const { total, available, held } = recipient
    ? await findBalance(db, recipient)
    : { total: 0, available: 0, held: 0 }
  return {
    state: presentedStates[intent.state],
    credits: intent.credits,
    balance: total,
    available,
    held,
    applied_at: intent.settled_at?.toISOString() ?? null,
  }
}

/** Two pages of one order ask for the same. */
function orderOf(intent: CheckoutIntent): string {
  const { kind, owner_id, plan_type, billing_frequency, seats, credits, currency } = intent
  return JSON.stringify([kind, owner_id, plan_type, billing_frequency, seats, credits, currency])
}

async function presentOpen(stripe: Stripe, intent: CheckoutIntent): Promise<OpenCheckout | null> {
  if (!intent.stripe_session_id) return null
  const { id, status, url } = await stripe.checkout.sessions.retrieve(intent.stripe_session_id)
  if (status !== 'open' || !url) return null
  return {
    sessionId: id,
    url,
    credits: intent.credits,
    amount_minor: intent.amount_minor,
    currency: intent.currency,
    planType: intent.plan_type,
    billingFrequency: intent.billing_frequency,
    seats: intent.seats,
    trial_days: intent.trial_days,
  }
}
