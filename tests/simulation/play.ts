import type Stripe from 'stripe'
import { getSessionStatus, processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { type Person, signUp } from '../support/services/clerk.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { History, PlannedPurchase, Step } from './history.ts'
import { isMishap, strike } from './mishaps.ts'

interface Purchase extends PlannedPurchase {
  session_id: string | null
}

/** Plays a history as one new person, and returns their id. Mishaps may make single calls fail. */
export async function play(product: FaultyProduct, history: History): Promise<Person> {
  const person = await signUp(product.clerk)
  const purchases: Purchase[] = history.purchases.map((planned) => ({ ...planned, session_id: null }))
  for (const group of history.groups) {
    await Promise.all(group.map((step) => take(product, person, purchases, step)))
  }
  return person
}

async function take(
  product: FaultyProduct,
  person: Person,
  purchases: Purchase[],
  step: Step,
): Promise<void> {
  if (isMishap(step)) return strike(product, step)
  if (step.do === 'wait') return product.clock.advance(step.minutes * 60_000)
  const purchase = purchases[step.purchase % purchases.length]
  if (!purchase) return
  if (step.do === 'start') return start(product, person, purchase)
  const { session_id } = purchase
  if (!session_id) return
  switch (step.do) {
    case 'pay':
      return pay(product, purchase, session_id)
    case 'conclude':
      return conclude(product, purchase, session_id)
    case 'deliver':
      return deliver(product, session_id, step)
    case 'return': {
      const body = { sessionId: session_id, clerkUserId: person.user_id }
      await product.server.api(processPaymentSuccess, { token: person.token, body }).catch(ignoreCut)
      return
    }
    case 'poll':
      await product.server
        .api(getSessionStatus, { token: person.token, query: { session_id } })
        .catch(ignoreCut)
  }
}

/** The connection was cut during a call: its caller sees an error, and its outcome is unknown. */
export function ignoreCut(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

async function start(product: FaultyProduct, person: Person, purchase: Purchase): Promise<void> {
  if (purchase.session_id) return
  const answer = await product.server.api(purchaseCredits, {
    token: person.token,
    body: {
      clerkUserId: person.user_id,
      credits: purchase.credits,
      amount: creditsCostMinor(purchase.credits) / 100,
      currency: 'EUR',
    },
  })
  if (answer.status === 200) purchase.session_id = (answer.body as { sessionId: string }).sessionId
}

async function pay(product: FaultyProduct, purchase: Purchase, sessionId: string): Promise<void> {
  const means = {
    card: {},
    declined: { card: '4000000000000002' },
    delayed_succeeds: { method: 'delayed' },
    delayed_fails: { method: 'delayed' },
    pending: { method: 'delayed' },
    abandoned: null,
    expires: null,
  }[purchase.buyer]
  if (!means || (await sessionAt(product, sessionId)).status !== 'open') return
  await product.stripe.knob(`sessions/${sessionId}/pay`, means).catch(ignoreRefusal)
}

/** What happens at Stripe days later: the debit goes through or not, the page expires. */
async function conclude(product: FaultyProduct, purchase: Purchase, sessionId: string): Promise<void> {
  const session = await sessionAt(product, sessionId)
  const isWaiting = session.status === 'complete' && session.payment_status === 'unpaid'
  if (purchase.buyer === 'expires' && session.status === 'open') {
    await product.stripe.knob(`sessions/${sessionId}/expire`).catch(ignoreRefusal)
  } else if (isWaiting && purchase.buyer !== 'pending') {
    const outcome = purchase.buyer === 'delayed_succeeds' ? 'succeeded' : 'failed'
    await product.stripe.knob(`sessions/${sessionId}/settle`, { outcome }).catch(ignoreRefusal)
  }
}

/** Two steps of a group may want the same session; the sandbox refuses the second, as Stripe would. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && / (400|402|409) /.test(error.message))) throw error
}

/** Delivers every event of the session that there is, as often and in the order that the step says. */
async function deliver(
  product: FaultyProduct,
  sessionId: string,
  step: { readonly times: number; readonly reversed: boolean },
): Promise<void> {
  const events = await eventsOf(product, sessionId)
  for (const event of step.reversed ? events.toReversed() : events) {
    await product.stripe.knob(`events/${event.id}/deliver`, {
      times: step.times,
      parallel: step.times > 3,
    })
  }
}

async function eventsOf(product: FaultyProduct, sessionId: string): Promise<Stripe.Event[]> {
  const page = await withoutFaults(product, () => product.stripe.client.events.list({ limit: 100 }))
  return page.data.filter((event) => (event.data.object as { id?: string }).id === sessionId)
}

async function sessionAt(product: FaultyProduct, sessionId: string): Promise<Stripe.Checkout.Session> {
  return withoutFaults(product, () => product.stripe.client.checkout.sessions.retrieve(sessionId))
}

/** The simulation's own calls to Stripe must not use up the faults that are meant for the product. */
export async function withoutFaults<T>(
  product: Pick<FaultyProduct, 'stripe'>,
  read: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (attempt > 5) throw error
      await product.stripe.clear('faults')
    }
  }
}
