import type { Selectable } from 'kysely'
import type Stripe from 'stripe'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import type { CheckoutIntents } from '../../schema/database/types.ts'
import { setUpStripe } from '../../scripts/stripe/set-up.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Sandbox, type SignedInPerson, signUp, startSandbox } from './sandbox.ts'
import { type ApiAnswer, startTestServer, type TestServer, type TestServerOptions } from './server.ts'

export interface OpenedPage {
  readonly url: string
  readonly sessionId: string
  readonly intentId: string
}

/** A server that sells plans, with both sandboxes behind it, for tests of what happens at the payment page's door. */
export interface PlanCounter {
  readonly database: TestDatabase
  readonly sandbox: Sandbox
  readonly clerk: Sandbox
  readonly server: TestServer
  readonly stripe: Stripe
  /** A customer without a past, at a counter without one. */
  newCustomer(): Promise<SignedInPerson>
  /** Asks for Pro by the month in EUR, or what `fields` say. */
  subscribe(person: SignedInPerson, fields?: object, on?: TestServer): Promise<ApiAnswer>
  /** The same, which must succeed. */
  subscribed(person: SignedInPerson, fields?: object): Promise<OpenedPage>
  intents(): Promise<Selectable<CheckoutIntents>[]>
  sessionOf(page: { readonly sessionId: string }): Promise<Stripe.Checkout.Session>
  /** Sessions of today's intents that somebody could still pay. */
  payable(): Promise<Stripe.Checkout.Session[]>
  /** Makes the price list at Stripe right (again). */
  setUp(): Promise<unknown>
  /** Another server at the same counter. */
  startServer(options?: Pick<TestServerOptions, 'env' | 'deps'>): Promise<TestServer>
  close(): Promise<void>
}

export async function openPlanCounter(): Promise<PlanCounter> {
  const [database, sandbox, clerk] = await Promise.all([
    createTestDatabase(),
    startSandbox('stripe'),
    startSandbox('clerk'),
  ])
  const startServer: PlanCounter['startServer'] = (options = {}) =>
    startTestServer({ databaseUrl: database.url, stripe: sandbox, clerk, ...options })
  const server = await startServer()
  const { stripe } = server.deps
  const setUp = () =>
    setUpStripe(stripe, { app_url: 'http://localhost:3000', brand_name: 'Tidemark', webhook: null })
  await setUp()
  const counter: PlanCounter = {
    database,
    sandbox,
    clerk,
    server,
    stripe,
    setUp,
    startServer,
    async newCustomer() {
      await sandbox.clear('faults')
      await database.owner.deleteFrom('subscriptions').execute()
      await database.owner.deleteFrom('checkout_intents').execute()
      return signUp(clerk, { first_name: 'Ada', last_name: 'Lovelace' })
    },
    subscribe: (person, fields = {}, on = server) =>
      on.api(createCheckoutSession, {
        token: person.token,
        body: {
          planType: 'pro',
          billingFrequency: 'monthly',
          currency: 'EUR',
          seats: 1,
          clerkUserId: person.user_id,
          ...fields,
        },
      }),
    async subscribed(person, fields) {
      const { status, body } = await counter.subscribe(person, fields)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as OpenedPage
    },
    intents: () => database.owner.selectFrom('checkout_intents').selectAll().orderBy('created_at').execute(),
    sessionOf: ({ sessionId }) => stripe.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] }),
    async payable() {
      const ids = new Set((await counter.intents()).map(({ id }) => id))
      const sessions: Stripe.Checkout.Session[] = []
      for await (const session of stripe.checkout.sessions.list({ status: 'open', limit: 100 })) {
        if (ids.has(session.client_reference_id ?? '')) sessions.push(session)
      }
      return sessions
    },
    async close() {
      await server.close()
      await Promise.all([sandbox.stop(), clerk.stop(), database.close()])
    },
  }
  return counter
}
