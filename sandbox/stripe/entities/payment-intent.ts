import { newId, randomText } from '../../kit/id.ts'
import type { Decline } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type {
  CheckoutDetails,
  StoredCharge,
  StoredPaymentIntent,
  StoredPaymentMethod,
  StoredSession,
} from '../state.ts'
import { type Attempt, newCharge } from './charge.ts'
import { emit } from './event.ts'
import { asPublished } from './published.ts'

export type PaymentIntentInput = {
  amount: number
  currency: string
  customer: string | null
  payment_method_types: string[]
  data: CheckoutDetails['payment_intent_data']
}

export function newPaymentIntent(
  { clock, livemode }: Service,
  { amount, currency, customer, payment_method_types, data }: PaymentIntentInput,
): StoredPaymentIntent {
  const id = newId('pi')
  return asPublished<StoredPaymentIntent>({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic',
    created: clock.now(),
    currency,
    customer,
    description: data.description,
    livemode,
    managed_payments: { enabled: false },
    metadata: data.metadata,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types,
    payment_record: null,
    setup_future_usage: data.setup_future_usage,
    status: 'requires_payment_method',
  })
}

/** What a session's buyer is about to pay; it is made with the first attempt, as at Stripe. */
export function expectSessionPayment(
  service: Service,
  session: StoredSession,
  data: CheckoutDetails['payment_intent_data'],
): StoredPaymentIntent {
  const intent = service.store.payment_intents.put(
    newPaymentIntent(service, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'eur',
      customer: session.customer,
      payment_method_types: session.payment_method_types,
      data,
    }),
  )
  emit(service, 'payment_intent.created', intent, { cause: noCall })
  return intent
}

type Charged = { intent: StoredPaymentIntent; charge: StoredCharge }

/** Charges an intent, or records the decline; both leave a charge and two events. */
export function chargeIntent(service: Service, attempt: Attempt): Charged {
  const charged = attemptCharge(service, attempt)
  emit(service, attempt.decline ? 'charge.failed' : 'charge.succeeded', charged.charge, { cause: noCall })
  emit(
    service,
    attempt.decline ? 'payment_intent.payment_failed' : 'payment_intent.succeeded',
    charged.intent,
    { cause: noCall },
  )
  return charged
}

/** The same without the events, for callers that announce something else first. */
export function attemptCharge(service: Service, { intent, method, decline }: Attempt): Charged {
  const charge = service.store.charges.put(
    newCharge(service, { intent, method, decline, status: decline ? 'failed' : 'succeeded' }),
  )
  const charged = service.store.payment_intents.put(
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
    next_action: null,
    payment_method: charge.payment_method,
    processing: null,
    status: 'succeeded',
  }
}

/** The bank asks the customer, and nothing is charged meanwhile. */
export function waitingIntent(
  intent: StoredPaymentIntent,
  { method }: Pick<Attempt, 'method'>,
): StoredPaymentIntent {
  return {
    ...intent,
    next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } },
    payment_method: method.id,
    status: 'requires_action',
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
    next_action: null,
    payment_method: null,
    processing: null,
    status: 'requires_payment_method',
  }
}
