import { subscribe } from '../billing/subscribe.ts'
import type { CheckoutDetails, StoredSession } from '../entities.ts'
import { noSuch } from '../errors.ts'
import { newCharge } from '../objects/charge.ts'
import { emit } from '../objects/event.ts'
import {
  type DebitType,
  type Expiry,
  newCardMethod,
  newDebitMethod,
  type Payer,
} from '../objects/payment-method.ts'
import { nobody, type World } from '../world.ts'
import { chargeIntent } from './charge-intent.ts'
import { completeSession, withCustomer } from './complete-session.ts'
import { disputeAtOnce } from './dispute-at-once.ts'
import { startPayment } from './start-payment.ts'
import type { TestCard } from './test-cards.ts'

export type PaymentMeans =
  | { type: 'card'; card: TestCard; expiry: Expiry }
  | { type: 'debit'; debit: DebitType }
  /** Nothing is owed. */
  | { type: 'free' }

export type PaymentResult =
  | { outcome: 'already_complete' | 'expired' | 'paid' | 'processing'; session: StoredSession }
  | { outcome: 'declined'; session: StoredSession; message: string }

/**
 * A buyer presses "Pay". The page and the knob both come here. It runs without a pause from the check that the session
 * is open to the record that it is not, which is why two tabs cannot pay twice.
 */
export function paySession(
  world: World,
  session_id: string,
  { payer, means }: { payer: Payer; means: PaymentMeans },
): PaymentResult {
  const session = world.store.checkout_sessions.get(session_id)
  const details = world.store.checkout_details.get(session_id)
  if (!session || !details) throw noSuch('checkout.session', session_id)
  if (session.status === 'complete') return { outcome: 'already_complete', session }
  if (session.status === 'expired') return { outcome: 'expired', session }
  if (session.mode === 'subscription') {
    return subscribe(world, { session, details, payer, card: means.type === 'card' ? means : null })
  }
  switch (means.type) {
    case 'free':
      withCustomer(world, session, payer)
      return {
        outcome: 'paid',
        session: completeSession(world, session_id, { payer, payment_status: 'no_payment_required' }),
      }
    case 'card':
      return payByCard(world, { session, details, payer, ...means })
    case 'debit':
      return payByDebit(world, { session, details, payer, ...means })
  }
}

type Attempt = { session: StoredSession; details: CheckoutDetails; payer: Payer }

function payByCard(
  world: World,
  { session, details, payer, card, expiry }: Attempt & { card: TestCard; expiry: Expiry },
): PaymentResult {
  const known = card.decline ? session : withCustomer(world, session, payer)
  const method = world.store.payment_methods.put(
    newCardMethod(world, { card, expiry, payer, customer: known.customer }),
  )
  const intent = startPayment(world, { session: known, details })
  const { charge } = chargeIntent(world, { intent, method, decline: card.decline })
  if (!card.decline) {
    const paid = completeSession(world, session.id, { payer, payment_status: 'paid' })
    disputeAtOnce(world, charge.id)
    return { outcome: 'paid', session: paid }
  }
  const still_open = world.store.checkout_sessions.get(session.id) ?? session
  return { outcome: 'declined', session: still_open, message: card.decline.message }
}

/** The bank is asked and answers later: the session is complete, the money is not there. */
function payByDebit(
  world: World,
  { session, details, payer, debit }: Attempt & { debit: DebitType },
): PaymentResult {
  const { store, clock, options } = world
  const known = withCustomer(world, session, payer)
  const method = store.payment_methods.put(
    newDebitMethod(world, { type: debit, payer, customer: known.customer }),
  )
  const intent = startPayment(world, { session: known, details })
  const charge = store.charges.put(newCharge(world, { intent, method, status: 'pending', decline: null }))
  const processing = store.payment_intents.put({
    ...intent,
    last_payment_error: null,
    latest_charge: charge.id,
    payment_method: method.id,
    status: 'processing',
  })
  emit(world, 'charge.pending', charge, { cause: nobody })
  emit(world, 'payment_intent.processing', processing, { cause: nobody })
  if (options.delayed_payment_ms !== null) {
    store.checkout_details.put({ ...details, settles_at_ms: clock.nowMs() + options.delayed_payment_ms })
  }
  return {
    outcome: 'processing',
    session: completeSession(world, session.id, { payer, payment_status: 'unpaid' }),
  }
}
