import type Stripe from 'stripe'
import { loopbackNames } from '../../api/redirect-uri.ts'
import { stripeApiVersion } from './client.ts'
import { stripeEventTypes } from './event-types.ts'

export const webhookPath = '/api/stripe/webhook'

export interface WebhookProblem {
  readonly text: string
  /** What a person has to do; null when `npm run stripe:setup` repairs it. */
  readonly advice: string | null
}

/** How our endpoint differs from the one that the product needs. */
export function webhookProblems(endpoint: Stripe.WebhookEndpoint): WebhookProblem[] {
  const { api_version, enabled_events, status, id } = endpoint
  const problems: WebhookProblem[] = []
  const hears = (type: string) => enabled_events.includes('*') || enabled_events.includes(type)
  const unheard = stripeEventTypes.filter((type) => !hears(type))
  if (status !== 'enabled') problems.push({ text: `it is ${status}`, advice: null })
  if (unheard.length > 0) problems.push({ text: `it is not sent ${unheard.join(', ')}`, advice: null })
  // "You can't change this value after you create the endpoint" (Stripe.WebhookEndpoint, `api_version`); null
  // is the account's.
  if (api_version !== stripeApiVersion) {
    problems.push({
      text: `its events have the API version ${api_version ?? 'of the account'}, not ${stripeApiVersion}`,
      advice: `An endpoint keeps its version: delete ${id} in Stripe’s dashboard, run npm run stripe:setup, and put the new secret into STRIPE_WEBHOOK_SECRET.`,
    })
  }
  return problems
}

/** Our endpoint at an address. Of several, the one with the fewest differences. */
export async function findWebhookEndpoint(
  stripe: Stripe,
  url: string,
): Promise<Stripe.WebhookEndpoint | undefined> {
  const found: Stripe.WebhookEndpoint[] = []
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) found.push(endpoint)
  }
  return found.toSorted((a, b) => webhookProblems(a).length - webhookProblems(b).length)[0]
}

/** Stripe cannot reach such an address; its CLI forwards events there. */
export function isLoopback(url: string): boolean {
  return loopbackNames.includes(new URL(url).hostname)
}
