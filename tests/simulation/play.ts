import type Stripe from 'stripe'
import { getSessionStatus, processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { type SignedInPerson, signUp } from '../support/sandbox.ts'
import type { History, PlannedPurchase, Step } from './history.ts'
import { isMishap, strike } from './mishaps.ts'
import type { World } from './world.ts'

interface Purchase extends PlannedPurchase {
  session_id: string | null
}

/** Plays a history in the world as one new person, and returns who it was. Mishaps may make single calls fail. */
export async function play(world: World, history: History): Promise<SignedInPerson> {
  const person = await signUp(world.clerk)
  const purchases: Purchase[] = history.purchases.map((planned) => ({ ...planned, session_id: null }))
  for (const group of history.groups) {
    await Promise.all(group.map((step) => take(world, person, purchases, step)))
  }
  return person
}

async function take(world: World, person: SignedInPerson, purchases: Purchase[], step: Step): Promise<void> {
  if (isMishap(step)) return strike(world, step)
  if (step.do === 'wait') return world.advance(step.minutes * 60_000)
  const purchase = purchases[step.purchase % purchases.length]
  if (!purchase) return
  if (step.do === 'start') return start(world, person, purchase)
  const { session_id } = purchase
  if (!session_id) return
  switch (step.do) {
    case 'pay':
      return pay(world, purchase, session_id)
    case 'conclude':
      return conclude(world, purchase, session_id)
    case 'deliver':
      return deliver(world, session_id, step)
    case 'return': {
      const body = { sessionId: session_id, clerkUserId: person.user_id }
      await world.server.api(processPaymentSuccess, { token: person.token, body }).catch(ignoreCut)
      return
    }
    case 'poll':
      await world.server
        .api(getSessionStatus, { token: person.token, query: { session_id } })
        .catch(ignoreCut)
  }
}

/** The wire was cut under a call: its caller sees an error, and what became of it is what the simulation finds out. */
export function ignoreCut(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

async function start(world: World, person: SignedInPerson, purchase: Purchase): Promise<void> {
  if (purchase.session_id) return
  const answer = await world.server.api(purchaseCredits, {
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

async function pay(world: World, purchase: Purchase, sessionId: string): Promise<void> {
  const means = {
    card: {},
    declined: { card: '4000000000000002' },
    delayed_succeeds: { method: 'delayed' },
    delayed_fails: { method: 'delayed' },
    pending: { method: 'delayed' },
    abandoned: null,
    expires: null,
  }[purchase.buyer]
  if (!means || (await sessionAt(world, sessionId)).status !== 'open') return
  await world.stripeSandbox.knob(`sessions/${sessionId}/pay`, means).catch(ignoreRefusal)
}

/** What happens at Stripe days later: the debit goes through or not, the page expires. */
async function conclude(world: World, purchase: Purchase, sessionId: string): Promise<void> {
  const session = await sessionAt(world, sessionId)
  const isWaiting = session.status === 'complete' && session.payment_status === 'unpaid'
  if (purchase.buyer === 'expires' && session.status === 'open') {
    await world.stripeSandbox.knob(`sessions/${sessionId}/expire`).catch(ignoreRefusal)
  } else if (isWaiting && purchase.buyer !== 'pending') {
    const outcome = purchase.buyer === 'delayed_succeeds' ? 'succeeded' : 'failed'
    await world.stripeSandbox.knob(`sessions/${sessionId}/settle`, { outcome }).catch(ignoreRefusal)
  }
}

/** Two steps of a group may want the same session; the sandbox refuses the second, as Stripe would. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && / (400|402|409) /.test(error.message))) throw error
}

/** Delivers every event of the session that there is, as often and in the order that the step says. */
async function deliver(
  world: World,
  sessionId: string,
  step: { readonly times: number; readonly reversed: boolean },
): Promise<void> {
  const events = await eventsOf(world, sessionId)
  for (const event of step.reversed ? events.toReversed() : events) {
    await world.stripeSandbox.knob(`events/${event.id}/deliver`, {
      times: step.times,
      parallel: step.times > 3,
    })
  }
}

async function eventsOf(world: World, sessionId: string): Promise<Stripe.Event[]> {
  const page = await withoutFaults(world, () => world.stripe.events.list({ limit: 100 }))
  return page.data.filter((event) => (event.data.object as { id?: string }).id === sessionId)
}

async function sessionAt(world: World, sessionId: string): Promise<Stripe.Checkout.Session> {
  return withoutFaults(world, () => world.stripe.checkout.sessions.retrieve(sessionId))
}

/** The simulation's own looks at Stripe must not use up the faults that are meant for the product. */
export async function withoutFaults<T>(world: World, look: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await look()
    } catch (error) {
      if (attempt > 5) throw error
      await world.stripeSandbox.clear('faults')
    }
  }
}
