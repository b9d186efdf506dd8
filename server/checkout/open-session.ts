import Stripe from 'stripe'
import {
  attachSession,
  failIntent,
  type NewCheckoutIntent,
  noteCustomer,
} from '../../schema/checkout/intents.ts'
import type { CheckoutMetadata } from '../../schema/stripe/metadata.ts'
import type { UserRecord } from '../../schema/users/users.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkoutRefused, checkoutUncertain, noCheckoutUrl } from '../errors.ts'
import { ensureStripeCustomer } from './stripe-customer.ts'

export interface ReturnAddresses {
  readonly success_url: string
  readonly cancel_url: string
}

/**
 * Opens the hosted payment page for an intent that is already committed. When Stripe says no, the intent fails at once. When
 * nobody knows (no answer, 5xx, 429) it stays `created`, and the sweep finds out whether it became a session.
 */
export async function openSession(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'metrics'>,
  intent: NewCheckoutIntent,
  payer: { readonly user: UserRecord; readonly returns: ReturnAddresses },
): Promise<{ id: string; url: string }> {
  const customer = await ensureStripeCustomer(deps, payer.user, intent.id).catch(async (error: unknown) => {
    // No session can exist without its customer, so there is nothing to find out later.
    throw error instanceof Stripe.errors.StripeError ? await refuse(deps, intent, error) : error
  })
  await noteCustomer(deps.db, { id: intent.id, stripe_customer_id: customer })
  const session = await deps.stripe.checkout.sessions
    .create(sessionParams(intent, customer, payer.returns), { idempotencyKey: intent.id })
    .catch(async (error: unknown) => {
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      if (isRefusal(error)) throw await refuse(deps, intent, error)
      deps.metrics.checkouts.inc({ outcome: 'uncertain' })
      throw checkoutUncertain(error)
    })
  await attachSession(deps.db, { id: intent.id, stripe_session_id: session.id })
  if (!session.url) throw noCheckoutUrl()
  deps.metrics.checkouts.inc({ outcome: 'opened' })
  return { id: session.id, url: session.url }
}

async function refuse(
  deps: Pick<Dependencies, 'db' | 'metrics'>,
  intent: NewCheckoutIntent,
  error: InstanceType<typeof Stripe.errors.StripeError>,
): Promise<Error> {
  await failIntent(deps.db, {
    id: intent.id,
    failure_reason: `Stripe: ${error.code ?? error.type}`,
  })
  deps.metrics.checkouts.inc({ outcome: 'refused' })
  return checkoutRefused(error)
}

/** A 4xx is Stripe's last word, but for 409 (the same key is in work) and 429 (come back later). */
function isRefusal(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  const status = error.statusCode ?? 0
  return status >= 400 && status < 500 && status !== 409 && status !== 429
}

function sessionParams(
  intent: NewCheckoutIntent,
  customer: string,
  returns: ReturnAddresses,
): Stripe.Checkout.SessionCreateParams {
  const metadata = {
    intentId: intent.id,
    credits: String(intent.credits),
    currency: intent.currency,
  } satisfies CheckoutMetadata
  return {
    mode: 'payment',
    customer,
    client_reference_id: intent.id,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: intent.currency.toLowerCase(),
          unit_amount: intent.amount_minor,
          product_data: { name: `${intent.credits.toLocaleString('en-US')} credits` },
        },
      },
    ],
    ...returns,
  }
}
