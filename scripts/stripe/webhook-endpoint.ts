import type Stripe from 'stripe'
import { stripeApiVersion } from '../../schema/stripe/client.ts'
import { stripeEventTypes } from '../../schema/stripe/event-types.ts'

/** The endpoint of this address, if the account has one. Changes nothing. */
export async function findEndpoint(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint | undefined> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) return endpoint
  }
  return undefined
}

export interface EndpointProblem {
  readonly text: string
  /** What an update can mend; the API version is fixed when an endpoint is made. */
  readonly can_be_updated: boolean
}

/** Everything about an endpoint that keeps events of ours from coming, or lets them come in another shape. */
export function endpointProblems(endpoint: Stripe.WebhookEndpoint): EndpointProblem[] {
  const problems: EndpointProblem[] = []
  if (endpoint.status !== 'enabled') problems.push({ text: `it is ${endpoint.status}`, can_be_updated: true })
  const hears = (type: string) =>
    endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type)
  const unheard = stripeEventTypes.filter((type) => !hears(type))
  if (unheard.length > 0)
    problems.push({ text: `it does not send ${unheard.join(', ')}`, can_be_updated: true })
  if (endpoint.api_version !== stripeApiVersion) {
    const version = endpoint.api_version ?? "the account's default version"
    problems.push({ text: `it sends ${version}, not ${stripeApiVersion}`, can_be_updated: false })
  }
  return problems
}
