import Stripe from 'stripe'
import { createStripe, stripeApiVersion } from '../../../schema/vendors/stripe/client.ts'
import { setUpStripe } from '../../../scripts/stripe/set-up.ts'
import { type Sandbox, startSandbox, testAppUrl } from './sandbox.ts'

export interface TestStripe extends Sandbox {
  readonly client: Stripe
  /** Makes the price list right (again), as `npm run stripe:setup` does. */
  setUp(): Promise<unknown>
  /** What has happened since the last call, in its order. */
  takeEvents(): Promise<Stripe.Event[]>
}

/** Delayed payments wait for the test. Without `serverPort` no event is delivered. */
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
      // The newest come first, and a page more is read only when all of one are new.
      for await (const event of client.events.list({ limit: 20 })) {
        if (taken.has(event.id)) break
        events.push(event)
      }
      for (const event of events) taken.add(event.id)
      return events.reverse()
    },
  }
}

/** A client without retries, because they take real seconds: its caller sees every failure. */
export function impatientStripe(url: string): Stripe {
  return new Stripe('sk_test_sandbox', { ...sandboxAt(url), maxNetworkRetries: 0 })
}

function sandboxAt(url: string) {
  const { hostname, port } = new URL(url)
  return {
    apiVersion: stripeApiVersion,
    timeout: 20_000,
    telemetry: false,
    host: hostname,
    port,
    protocol: 'http',
  } as const
}
