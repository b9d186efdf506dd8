import type { StoredSession } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { newId } from '../ids.ts'
import { outcome as chargeOutcome } from '../objects/charge.ts'
import { emit } from '../objects/event.ts'
import { nobody, type World } from '../world.ts'
import { failedIntent, succeededIntent } from './charge-intent.ts'

export type Settlement = 'failed' | 'succeeded'

const refused_by_bank = {
  code: 'payment_method_provider_decline',
  decline_code: null,
  message: 'The customer’s bank account could not be debited.',
}

/** The bank answers at last. A session that waits for no bank is left as it is, and the caller is told. */
export function settleSession(world: World, session_id: string, settlement: Settlement): StoredSession {
  const { store } = world
  const session = store.checkout_sessions.get(session_id)
  if (!session) throw noSuch('checkout.session', session_id)
  const details = store.checkout_details.get(session_id)
  if (details?.settles_at_ms) store.checkout_details.put({ ...details, settles_at_ms: null })
  const intent = store.payment_intents.get(session.payment_intent ?? '')
  const charge = store.charges.get(intent?.latest_charge ?? '')
  const method = store.payment_methods.get(intent?.payment_method ?? '')
  if (intent?.status !== 'processing' || !charge || !method) {
    throw invalidRequest(`Checkout session ${session_id} has no payment that waits to be settled.`)
  }

  if (settlement === 'succeeded') {
    const paid = store.charges.put({
      ...charge,
      balance_transaction: newId('txn'),
      outcome: chargeOutcome(null),
      paid: true,
      receipt_url: `${world.public_url()}/receipts/${charge.id}`,
      status: 'succeeded',
    })
    const succeeded = store.payment_intents.put(succeededIntent(intent, paid))
    const settled = store.checkout_sessions.put({ ...session, payment_status: 'paid' })
    emit(world, 'charge.succeeded', paid, { cause: nobody })
    emit(world, 'payment_intent.succeeded', succeeded, { cause: nobody })
    emit(world, 'checkout.session.async_payment_succeeded', settled, { cause: nobody })
    return settled
  }
  const decline = refused_by_bank
  const failed_charge = store.charges.put({
    ...charge,
    failure_code: decline.code,
    failure_message: decline.message,
    outcome: chargeOutcome(decline),
    status: 'failed',
  })
  const failed = store.payment_intents.put(failedIntent(intent, { charge: failed_charge, method, decline }))
  emit(world, 'charge.failed', failed_charge, { cause: nobody })
  emit(world, 'payment_intent.payment_failed', failed, { cause: nobody })
  emit(world, 'checkout.session.async_payment_failed', session, { cause: nobody })
  return session
}
