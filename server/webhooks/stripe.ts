import Stripe from 'stripe'
import { stripeEventSchema } from '../../schema/stripe/events.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidEvent, invalidSignature } from '../errors.ts'
import { parseJson, readRawBody, webhookLimitBytes } from '../middleware/read-body.ts'
import { receiveVerifiedEvent } from './receive.ts'

/** How old a signature may be, so that a recorded delivery cannot be played back later. */
const toleranceSeconds = 300

/** `POST /api/stripe/webhook`: nothing is stored that Stripe did not sign; all that it did sign is stored once. */
export function stripeWebhook(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    const raw = await readRawBody(ctx, webhookLimitBytes)
    await verifySignature(deps, raw, ctx.get('stripe-signature'))
    const event = stripeEventSchema.safeParse(asEvent(raw))
    if (!event.success) throw invalidEvent(event.error)
    await receiveVerifiedEvent(
      deps,
      {
        source: 'stripe',
        id: event.data.id,
        type: event.data.type,
        occurred_at: new Date(event.data.created * 1000),
        payload: event.data,
      },
      ctx.state.trace,
    )
    ctx.body = { received: true }
  }
}

async function verifySignature(deps: Dependencies, raw: Buffer, signature: string): Promise<void> {
  try {
    deps.stripe.webhooks.constructEvent(raw, signature, deps.settings.stripe_webhook_secret, toleranceSeconds)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw invalidSignature(error)
    throw invalidEvent(error)
  }
}

function asEvent(raw: Buffer): unknown {
  try {
    return parseJson(raw)
  } catch (error) {
    throw invalidEvent(error)
  }
}
