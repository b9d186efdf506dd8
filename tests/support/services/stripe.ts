import Stripe from 'stripe'
import { createStripe, stripeApiVersion } from '../../../schema/stripe/client.ts'
import { setUpStripe } from '../../../scripts/stripe/set-up.ts'
import { type Sandbox, startSandbox, testAppUrl } from './sandbox-process.ts'

/** The payment sandbox and its API. */
export interface TestStripe extends Sandbox {
  readonly client: Stripe
  /** Makes the price list right (again), as `npm run stripe:setup` does. */
  setUp(): Promise<unknown>
  /** All events since the last call, oldest first. */
  takeEvents(): Promise<Stripe.Event[]>
}

/** Payments that take days stay undecided until the test decides them. Without `serverPort` no event is delivered. */
export async function startStripe(options: { serverPort?: number } = {}): Promise<TestStripe> {
  const sandbox = await startSandbox('stripe', {
    ...options,
    env: { SANDBOX_STRIPE_DELAYED_PAYMENT_MS: 'never' },
  })
  const client = createStripe({ secretKey: 'sk_test_sandbox', apiBase: sandbox.url })
  const taken = new Set<string>()
  return {
    ...sandbox,
    client,
    setUp: () => setUpStripe(client, { app_url: testAppUrl, brand_name: 'Tidemark', webhook: null }),
    async takeEvents() {
      const events: Stripe.Event[] = []
      for await (const event of client.events.list({ limit: 100 })) {
        if (!taken.has(event.id)) events.push(event)
      }
      for (const event of events) taken.add(event.id)
      return events.reverse()
    },
  }
}

/** A client that never repeats a call by itself, because that takes real seconds: whoever uses it is told of every failure. */
export function impatientStripe(url: string): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe('sk_test_sandbox', {
    apiVersion: stripeApiVersion,
    maxNetworkRetries: 0,
    timeout: 20_000,
    telemetry: false,
    host: hostname,
    port,
    protocol: 'http',
  })
}
