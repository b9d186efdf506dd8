import type { CheckoutDetails, StoredPaymentIntent, StoredSession } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { newPaymentIntent } from '../objects/payment-intent.ts'
import { nobody, type World } from '../world.ts'

/**
 * The session's payment intent: the one of an earlier, declined attempt, or a new one. As at Stripe, it comes into being
 * when the buyer first tries to pay.
 */
export function startPayment(
  world: World,
  { session, details }: { session: StoredSession; details: CheckoutDetails },
): StoredPaymentIntent {
  const { store } = world
  const existing = session.payment_intent ? store.payment_intents.get(session.payment_intent) : undefined
  if (existing) return store.payment_intents.put({ ...existing, customer: session.customer })
  const intent = store.payment_intents.put(
    newPaymentIntent(world, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'eur',
      customer: session.customer,
      payment_method_types: session.payment_method_types,
      data: details.payment_intent_data,
    }),
  )
  store.checkout_sessions.put({ ...session, payment_intent: intent.id })
  emit(world, 'payment_intent.created', intent, { cause: nobody })
  return intent
}
