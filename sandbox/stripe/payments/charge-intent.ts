import type { StoredCharge, StoredPaymentIntent, StoredPaymentMethod } from '../entities.ts'
import { type Decline, newCharge } from '../objects/charge.ts'
import { emit } from '../objects/event.ts'
import { nobody, type World } from '../world.ts'

/** Takes the money of an intent at once, or records that it could not be taken; both leave a charge and two events. */
export function chargeIntent(
  world: World,
  {
    intent,
    method,
    decline,
  }: { intent: StoredPaymentIntent; method: StoredPaymentMethod; decline: Decline | null },
): { intent: StoredPaymentIntent; charge: StoredCharge } {
  const charge = world.store.charges.put(
    newCharge(world, { intent, method, decline, status: decline ? 'failed' : 'succeeded' }),
  )
  const charged = world.store.payment_intents.put(
    decline ? failedIntent(intent, { charge, method, decline }) : succeededIntent(intent, charge),
  )
  emit(world, decline ? 'charge.failed' : 'charge.succeeded', charge, { cause: nobody })
  emit(world, decline ? 'payment_intent.payment_failed' : 'payment_intent.succeeded', charged, {
    cause: nobody,
  })
  return { intent: charged, charge }
}

export function succeededIntent(intent: StoredPaymentIntent, charge: StoredCharge): StoredPaymentIntent {
  return {
    ...intent,
    amount_received: intent.amount,
    last_payment_error: null,
    latest_charge: charge.id,
    payment_method: charge.payment_method,
    processing: null,
    status: 'succeeded',
  }
}

export function failedIntent(
  intent: StoredPaymentIntent,
  { charge, method, decline }: { charge: StoredCharge; method: StoredPaymentMethod; decline: Decline },
): StoredPaymentIntent {
  return {
    ...intent,
    last_payment_error: {
      charge: charge.id,
      code: decline.code,
      ...(decline.decline_code && { decline_code: decline.decline_code }),
      doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
      message: decline.message,
      payment_method: method,
      type: method.type === 'card' ? 'card_error' : 'invalid_request_error',
    },
    latest_charge: charge.id,
    payment_method: null,
    processing: null,
    status: 'requires_payment_method',
  }
}
