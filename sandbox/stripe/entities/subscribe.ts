import { noCall, type Service } from '../service.ts'
import type { CheckoutDetails, StoredPaymentMethod, StoredSession } from '../state.ts'
import { completeSession, type PaymentMeans, type PaymentResult, withCustomer } from './checkout-session.ts'
import { createSubscription } from './create-subscription.ts'
import { disputeAtOnce } from './dispute.ts'
import { defaultPayment } from './invoice.ts'
import { chargeIntent, expectSessionPayment } from './payment-intent.ts'
import { attachCard, type Expiry, newCardMethod, type Payer } from './payment-method.ts'
import type { TestCard } from './test-cards.ts'

type Attempt = { session: StoredSession; details: CheckoutDetails; payer: Payer }

const day_s = 24 * 60 * 60

/** A buyer presses "Subscribe" with a card. */
export function subscribe(
  service: Service,
  { means, ...attempt }: Attempt & { means: PaymentMeans },
): PaymentResult {
  const card = means.type === 'card' ? means : null
  if (card?.card.decline) {
    const { message } = card.card.decline
    // A trial takes no money: the card is refused while it is saved, which leaves no charge.
    if (attempt.session.amount_total !== 0) recordDecline(service, { ...attempt, ...card })
    return { outcome: 'declined', session: attempt.session, message }
  }
  const session = withCustomer(service, attempt.session, attempt.payer)
  const { customer } = session
  const { payer } = attempt
  const is_saved = card?.is_saved ?? false
  const attached = card && attachCard(service, { ...card, payer, customer, is_saved })
  const method = means.type === 'saved' ? means.method : attached
  const fails_later = card?.fails_later ?? false
  const started = startSubscription(service, { ...attempt, session, method, fails_later })
  return { outcome: started.payment_status === 'unpaid' ? 'processing' : 'paid', session: started }
}

function startSubscription(
  service: Service,
  {
    session,
    details,
    payer,
    method,
    fails_later,
  }: Attempt & { method: StoredPaymentMethod | null; fails_later: boolean },
): StoredSession {
  const { store, clock } = service
  const customer = store.customers.get(session.customer)
  const data = details.subscription_data
  if (!customer || !data) throw new Error(`Session ${session.id} cannot become a subscription.`)
  const { subscription, invoice } = createSubscription(service, {
    ...data,
    automatic_tax: session.automatic_tax.enabled,
    cause: noCall,
    currency: session.currency ?? 'eur',
    customer,
    default_payment_method: method?.id ?? null,
    discounts: [],
    intent: store.payment_intents.get(details.payment_intent),
    is_off_session: fails_later,
    items: details.line_items.map(({ price, quantity }) => {
      const known = store.prices.get(price.id)
      if (!known) throw new Error(`Price ${price.id} is gone.`)
      return { price: known, quantity: quantity ?? 1, metadata: {} }
    }),
    takes_pending: false,
    trial_end: data.trial_period_days === null ? null : clock.now() + data.trial_period_days * day_s,
  })
  store.checkout_sessions.put({ ...session, invoice: invoice.id, subscription: subscription.id })
  const completed = completeSession(service, session.id, {
    payer,
    payment_status:
      data.trial_period_days !== null || session.amount_total === 0
        ? 'no_payment_required'
        : subscription.status === 'incomplete'
          ? 'unpaid'
          : 'paid',
  })
  const payment = defaultPayment(service, invoice)
  const intent = store.payment_intents.get(payment?.payment.payment_intent)
  disputeAtOnce(service, intent?.latest_charge ?? null)
  return completed
}

function recordDecline(
  service: Service,
  { session, details, payer, card, expiry }: Attempt & { card: TestCard; expiry: Expiry },
): void {
  const { store } = service
  const method = store.payment_methods.put(newCardMethod(service, { card, expiry, payer, customer: null }))
  const data = { ...details.payment_intent_data, description: 'Subscription creation' }
  const intent =
    store.payment_intents.get(details.payment_intent) ?? expectSessionPayment(service, session, data)
  store.checkout_details.put({ ...details, payment_intent: intent.id })
  chargeIntent(service, { intent, method, decline: card.decline })
}
