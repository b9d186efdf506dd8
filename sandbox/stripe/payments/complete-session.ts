import type { StoredSession } from '../entities.ts'
import { newCustomer } from '../objects/customer.ts'
import { emit } from '../objects/event.ts'
import { emptyAddress, type Payer } from '../objects/payment-method.ts'
import { nobody, type World } from '../world.ts'

/** The buyer is through: the session closes for good. What is still owed says `payment_status`. */
export function completeSession(
  world: World,
  session_id: string,
  { payer, payment_status }: { payer: Payer; payment_status: 'no_payment_required' | 'paid' | 'unpaid' },
): StoredSession {
  const session = world.store.checkout_sessions.get(session_id)
  if (!session) throw new Error(`Session ${session_id} went away while it was paid.`)
  const completed = world.store.checkout_sessions.put({
    ...session,
    customer_details: {
      address: session.customer_details?.address ?? emptyAddress,
      business_name: null,
      email: payer.email,
      individual_name: null,
      name: payer.name,
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    payment_status,
    status: 'complete',
    url: null,
  })
  emit(world, 'checkout.session.completed', completed, { cause: nobody })
  return completed
}

/** The session with the customer who pays: the one it was made for, a new one where it asks for one, or a guest. */
export function withCustomer(world: World, session: StoredSession, payer: Payer): StoredSession {
  if (session.customer || session.customer_creation !== 'always') return session
  const customer = world.store.customers.put(
    newCustomer(world, { email: payer.email, name: payer.name, metadata: {} }),
  )
  emit(world, 'customer.created', customer, { cause: nobody })
  return world.store.checkout_sessions.put({ ...session, customer: customer.id })
}
