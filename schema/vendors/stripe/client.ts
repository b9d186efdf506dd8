import Stripe from 'stripe'
import { type CallLimit, limitCalls } from './call-limit.ts'

/** The API version that our event fixtures, the sandbox and the SDK's types agree on. */
export const stripeApiVersion = '2026-10-28.endive'

/**
 * Stripe's own SDK. `apiBase` points it at the sandbox and is absent in production. Two retries with Stripe's
 * own backoff; every call that writes carries an idempotency key, so a retry is safe. With a `callLimit`
 * calls wait for their turn.
 */
export function createStripe(options: {
  secretKey: string
  apiBase?: string | undefined
  callLimit?: CallLimit
}): Stripe {
  const base = options.apiBase ? new URL(options.apiBase) : null
  return new Stripe(options.secretKey, {
    apiVersion: stripeApiVersion,
    maxNetworkRetries: 2,
    timeout: 20_000,
    telemetry: false,
    appInfo: { name: 'tidemark' },
    ...(options.callLimit && { httpClient: limitCalls(Stripe.createNodeHttpClient(), options.callLimit) }),
    ...(base && {
      host: base.hostname,
      port: base.port,
      protocol: base.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
}
