import type { StoredSession } from '../entities.ts'
import { emit } from '../objects/event.ts'
import type { Cause, World } from '../world.ts'

/** Closes an open session unpaid; an intent left by a declined attempt is cancelled with it. */
export function expireSession(world: World, session: StoredSession, cause: Cause): StoredSession {
  const { store, clock } = world
  const hidden = store.checkout_details.get(session.id)?.payment_intent
  const intent = store.payment_intents.get(session.payment_intent ?? hidden ?? '')
  if (intent?.status === 'requires_payment_method') {
    const canceled = store.payment_intents.put({
      ...intent,
      canceled_at: clock.now(),
      cancellation_reason: 'automatic',
      status: 'canceled',
    })
    emit(world, 'payment_intent.canceled', canceled, { cause })
  }
  const expired = store.checkout_sessions.put({ ...session, status: 'expired', url: null })
  emit(world, 'checkout.session.expired', expired, { cause })
  return expired
}
