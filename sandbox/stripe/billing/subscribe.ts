import type { CheckoutDetails, StoredPaymentIntent, StoredPaymentMethod, StoredSession } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { newPaymentIntent } from '../objects/payment-intent.ts'
import { type Expiry, newCardMethod, type Payer } from '../objects/payment-method.ts'
import { chargeIntent } from '../payments/charge-intent.ts'
import { completeSession, withCustomer } from '../payments/complete-session.ts'
import { disputeAtOnce } from '../payments/dispute-at-once.ts'
import type { PaymentResult } from '../payments/pay-session.ts'
import type { TestCard } from '../payments/test-cards.ts'
import { nobody, type World } from '../world.ts'
import { createSubscription } from './create-subscription.ts'
import { defaultPayment } from './pay-invoice.ts'

type Attempt = { session: StoredSession; details: CheckoutDetails; payer: Payer }

const day_s = 24 * 60 * 60

/** A buyer presses "Subscribe" with a card, or without one where a trial asks for none. */
export function subscribe(
  world: World,
  { card, ...attempt }: Attempt & { card: { card: TestCard; expiry: Expiry } | null },
): PaymentResult {
  if (card?.card.decline) {
    const { message } = card.card.decline
    // A trial takes no money: the card is refused while it is saved, which leaves no charge.
    if (attempt.session.amount_total !== 0) recordDecline(world, { ...attempt, ...card })
    return { outcome: 'declined', session: attempt.session, message }
  }
  const session = withCustomer(world, attempt.session, attempt.payer)
  const method = card && attachCard(world, { ...card, payer: attempt.payer, customer: session.customer })
  return { outcome: 'paid', session: startSubscription(world, { ...attempt, session, method }) }
}

function startSubscription(
  world: World,
  { session, details, payer, method }: Attempt & { method: StoredPaymentMethod | null },
): StoredSession {
  const { store, clock } = world
  const customer = store.customers.get(session.customer ?? '')
  const data = details.subscription_data
  if (!customer || !data) throw new Error(`Session ${session.id} cannot become a subscription.`)
  const { subscription, invoice } = createSubscription(world, {
    ...data,
    cause: nobody,
    currency: session.currency ?? 'eur',
    customer,
    default_payment_method: method?.id ?? null,
    intent: store.payment_intents.get(details.payment_intent ?? ''),
    is_off_session: false,
    items: details.line_items.map(({ price, quantity }) => {
      const known = store.prices.get(price.id)
      if (!known) throw new Error(`Price ${price.id} is gone.`)
      return { price: known, quantity: quantity ?? 1, metadata: {} }
    }),
    payment_behavior: 'allow_incomplete',
    trial_end: data.trial_period_days === null ? null : clock.now() + data.trial_period_days * day_s,
  })
  store.checkout_sessions.put({ ...session, invoice: invoice.id, subscription: subscription.id })
  const completed = completeSession(world, session.id, {
    payer,
    payment_status: session.amount_total === 0 ? 'no_payment_required' : 'paid',
  })
  const payment = defaultPayment(world, invoice)
  const intent = store.payment_intents.get(payment?.payment.payment_intent ?? '')
  disputeAtOnce(world, intent?.latest_charge ?? null)
  return completed
}

/** A new card that can be charged from now on without its owner. */
export function attachCard(
  world: World,
  input: { card: TestCard; expiry: Expiry; payer: Payer; customer: string | null },
): StoredPaymentMethod {
  const method = world.store.payment_methods.put({
    ...newCardMethod(world, input),
    allow_redisplay: 'always',
  })
  emit(world, 'payment_method.attached', method, { cause: nobody })
  return method
}

function recordDecline(
  world: World,
  { session, details, payer, card, expiry }: Attempt & { card: TestCard; expiry: Expiry },
): void {
  const { store } = world
  const method = store.payment_methods.put(newCardMethod(world, { card, expiry, payer, customer: null }))
  const intent = store.payment_intents.get(details.payment_intent ?? '') ?? newIntent(world, session, details)
  store.checkout_details.put({ ...details, payment_intent: intent.id })
  chargeIntent(world, { intent, method, decline: card.decline })
}

function newIntent(world: World, session: StoredSession, details: CheckoutDetails): StoredPaymentIntent {
  const intent = world.store.payment_intents.put(
    newPaymentIntent(world, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'eur',
      customer: session.customer,
      payment_method_types: session.payment_method_types,
      data: { ...details.payment_intent_data, description: 'Subscription creation' },
    }),
  )
  emit(world, 'payment_intent.created', intent, { cause: nobody })
  return intent
}
