import type Stripe from 'stripe'
import { createCheckoutSession } from '../../../schema/api/subscriptions.ts'
import { madeForEachTest } from '../made.ts'
import type { TestProduct } from '../product/start-test-product.ts'
import type { ApiAnswer, TestServer } from '../product/test-server.ts'
import { type Person, signUp } from '../services/clerk.ts'

export interface CheckoutPage {
  readonly url: string
  readonly sessionId: string
  readonly intentId: string
}

/** Asks for Pro by the month in EUR, or what `fields` say. */
export function requestPlan(server: TestServer, person: Person, fields: object = {}): Promise<ApiAnswer> {
  return server.api(createCheckoutSession, {
    token: person.token,
    body: {
      planType: 'pro',
      billingFrequency: 'monthly',
      currency: 'EUR',
      seats: 1,
      clerkUserId: person.user_id,
      ...fields,
    },
  })
}

/** The same, which must succeed. */
export async function openPlanCheckout(
  server: TestServer,
  person: Person,
  fields?: object,
): Promise<CheckoutPage> {
  const { status, body } = await requestPlan(server, person, fields)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as CheckoutPage
}

export function listIntents({ database }: Pick<TestProduct, 'database'>) {
  return database.owner.selectFrom('checkout_intents').selectAll().orderBy('created_at').execute()
}

/** Sessions of the present intents that can still be paid. */
export async function listPayableSessions(
  product: Pick<TestProduct, 'database' | 'stripe'>,
): Promise<Stripe.Checkout.Session[]> {
  const ids = new Set((await listIntents(product)).map(({ id }) => id))
  const sessions: Stripe.Checkout.Session[] = []
  for await (const session of product.stripe.client.checkout.sessions.list({ status: 'open', limit: 100 })) {
    if (ids.has(session.client_reference_id ?? '')) sessions.push(session)
  }
  return sessions
}

/** Neither checkouts nor subscriptions, ours as on the first day, and a Stripe that works. */
export async function forgetCheckouts({
  database,
  stripe,
}: Pick<TestProduct, 'database' | 'stripe'>): Promise<void> {
  await stripe.clear('faults')
  await database.owner.deleteFrom('subscriptions').execute()
  await database.owner.deleteFrom('checkout_intents').execute()
}

/** A customer without a past in each test, and what they do at the product's server. */
export function planBuyer(product: TestProduct) {
  const { server, stripe } = product
  const ada = madeForEachTest(async () => {
    await forgetCheckouts(product)
    return signUp(product.clerk, { first_name: 'Ada', last_name: 'Lovelace' })
  })
  return {
    ada,
    intents: () => listIntents(product),
    subscribe: (fields: object = {}, on = server) => requestPlan(on, ada, fields),
    subscribed: (fields: object = {}) => openPlanCheckout(server, ada, fields),
    sessionOf: ({ sessionId }: CheckoutPage) =>
      stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] }),
  }
}
