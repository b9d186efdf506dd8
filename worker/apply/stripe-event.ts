import {
  type CheckoutEventType,
  checkoutEventTypes,
  checkoutSessionSchema,
  stripeEventSchema,
} from '../../schema/stripe/events.ts'
import { intentIdOf } from '../../schema/stripe/metadata.ts'
import { NotYetError } from '../errors.ts'
import { applyCheckout } from './apply-checkout.ts'
import { type EventPlanner, ignore } from './apply-event.ts'

function isCheckoutEvent(type: string): type is CheckoutEventType {
  return (checkoutEventTypes as readonly string[]).includes(type)
}

/** Stripe's events: a checkout session that was paid, failed or expired settles its intent; nothing follows from the rest. */
export const planStripeEvent: EventPlanner = async (_deps, payload) => {
  const event = stripeEventSchema.parse(payload)
  if (!isCheckoutEvent(event.type)) return ignore(`Nothing follows from ${event.type}`)
  const signal = event.type
  const session = checkoutSessionSchema.parse(event.data.object)
  const intentId = intentIdOf(session)
  if (!intentId) return ignore(`Session ${session.id} was not started by us`)
  return async (trx) => {
    const decision = await applyCheckout(trx, intentId, {
      session,
      signal,
      event_id: event.id,
      occurred_at: new Date(event.created * 1000),
      actor: 'stripe',
    })
    if (!decision) throw new NotYetError(`Intent ${intentId} of session ${session.id} is not there yet`)
    return { state: 'applied', reason: decision.action === 'none' ? decision.reason : null }
  }
}
