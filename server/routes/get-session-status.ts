import type Stripe from 'stripe'
import type { getSessionStatus } from '../../schema/api/checkout.ts'
import type { ResponseOf } from '../../schema/api/endpoint.ts'
import { currencySchema } from '../../schema/catalogue/currency.ts'
import { type CheckoutIntent, findIntentBySession } from '../../schema/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { type CheckoutSession, checkoutSessionSchema } from '../../schema/stripe/events.ts'
import { type CheckoutMetadata, checkoutMetadataSchema } from '../../schema/stripe/metadata.ts'
import { findSubscriptionOfIntent } from '../../schema/subscriptions/subscriptions.ts'
import { findUser } from '../../schema/users/users.ts'
import { requestCompletion } from '../checkout/request-completion.ts'
import { metadataOf } from '../checkout/session-params.ts'
import { paymentStatusUnavailable, sessionNotFound } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { presentFulfilment } from '../presenters/fulfilment.ts'

type SessionData = Omit<ResponseOf<typeof getSessionStatus>['data'], 'fulfilment'>

/**
 * How a checkout stands. A settled one is answered from our own rows. For the others Stripe is asked, and when the money is
 * there but the ledger does not have it, the worker is told: so a webhook that never comes does no harm.
 */
export const handleGetSessionStatus: Handler<typeof getSessionStatus> = async (
  { query, user_id, trace },
  deps,
) => {
  const intent = await findIntentBySession(deps.db, { stripe_session_id: query.session_id, user_id })
  if (!intent) throw sessionNotFound()
  trace.note({ intent_id: intent.id })
  const email = (await findUser(deps.db, user_id))?.email ?? null
  const data =
    intent.state === 'settled'
      ? settledData(intent, { email, subscription_id: await findSubscriptionId(deps.db, intent) })
      : sessionData(await retrieve(deps.stripe, query.session_id), intent, email)
  if (intent.state !== 'settled' && data.payment_status !== 'unpaid' && data.status === 'complete') {
    await requestCompletion(deps, intent, { cause: 'session_status', trace })
  }
  return { success: true, data: { ...data, fulfilment: await presentFulfilment(deps.db, intent) } }
}

interface RetrievedSession extends CheckoutSession {
  readonly customer_email: string | null
  readonly subscription_id: string | null
}

async function retrieve(stripe: Stripe, sessionId: string): Promise<RetrievedSession> {
  try {
    const session = await stripe.checkout.sessions.retrieve(sessionId)
    const { subscription } = session
    return {
      ...checkoutSessionSchema.parse(session),
      customer_email: session.customer_details?.email ?? session.customer_email,
      subscription_id: typeof subscription === 'string' ? subscription : (subscription?.id ?? null),
    }
  } catch (error) {
    throw paymentStatusUnavailable(error)
  }
}

async function findSubscriptionId(db: Database, intent: CheckoutIntent): Promise<string | null> {
  if (intent.kind !== 'subscription') return null
  return (await findSubscriptionOfIntent(db, intent.id))?.stripe_subscription_id ?? null
}

/** A plan that began with a trial has been bought, and nothing has been paid. */
function settledData(
  intent: CheckoutIntent,
  known: { readonly email: string | null; readonly subscription_id: string | null },
): SessionData {
  const isTrial = intent.trial_days > 0
  return {
    status: 'complete',
    payment_status: isTrial ? 'no_payment_required' : 'paid',
    amount_total: isTrial ? 0 : intent.amount_minor,
    currency: intent.currency,
    customer_email: known.email,
    subscription_id: known.subscription_id,
    metadata: shown(metadataOf(intent)),
  }
}

function shown({ intentId: _ours, ...metadata }: CheckoutMetadata): SessionData['metadata'] {
  return metadata
}

function sessionData(session: RetrievedSession, intent: CheckoutIntent, email: string | null): SessionData {
  return {
    status: session.status,
    payment_status: session.payment_status,
    amount_total: session.amount_total ?? intent.amount_minor,
    currency: currencySchema.catch(intent.currency).parse(session.currency?.toUpperCase()),
    customer_email: session.customer_email ?? email,
    subscription_id: session.subscription_id,
    metadata: shown(checkoutMetadataSchema.parse(session.metadata ?? {})),
  }
}
