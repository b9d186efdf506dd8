import type { StoredCharge, StoredPaymentIntent, StoredPaymentMethod } from '../entities.ts'
import { type Decline, newCharge } from '../objects/charge.ts'
import { emit } from '../objects/event.ts'
import { nobody, type World } from '../world.ts'

type Attempt = { intent: StoredPaymentIntent; method: StoredPaymentMethod; decline: Decline | null }
type Charged = { intent: StoredPaymentIntent; charge: StoredCharge }

/** Takes the money of an intent at once, or records that it could not be taken; both leave a charge and two events. */
export function chargeIntent(world: World, attempt: Attempt): Charged {
  const charged = takeMoney(world, attempt)
  emit(world, attempt.decline ? 'charge.failed' : 'charge.succeeded', charged.charge, { cause: nobody })
  emit(
    world,
    attempt.decline ? 'payment_intent.payment_failed' : 'payment_intent.succeeded',
    charged.intent,
    { cause: nobody },
  )
  return charged
}

/** The same without the events, for who has to tell of something else first. */
export function takeMoney(world: World, { intent, method, decline }: Attempt): Charged {
  const charge = world.store.charges.put(
    newCharge(world, { intent, method, decline, status: decline ? 'failed' : 'succeeded' }),
  )
  const charged = world.store.payment_intents.put(
    decline ? failedIntent(intent, { charge, method, decline }) : succeededIntent(intent, charge),
  )
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
