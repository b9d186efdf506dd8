import type Stripe from 'stripe'
import { stripeApiVersion } from '../../schema/stripe/client.ts'
import { stripeEventTypes } from '../../schema/stripe/event-types.ts'
import { endpointProblems, findEndpoint } from './webhook-endpoint.ts'

export interface WebhookResult {
  readonly changes: readonly string[]
  /** Returned by Stripe only on creation; null for an endpoint that exists already or could not be created. */
  readonly secret: string | null
  /** Why there is no endpoint; null when there is one. */
  readonly skipped: string | null
}

export interface WebhookOptions {
  readonly webhook_url: string
  /** Stripe cannot reach such an address; the sandbox can. */
  readonly may_reach_localhost: boolean
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Creates the endpoint that receives our events, or adds the event types that it lacks. */
export async function setUpWebhook(stripe: Stripe, options: WebhookOptions): Promise<WebhookResult> {
  const url = options.webhook_url
  if (!options.may_reach_localhost && loopbackNames.includes(new URL(url).hostname)) {
    const skipped = `Stripe cannot reach ${url}; forward its events with: stripe listen --forward-to ${url}`
    return { changes: [], secret: null, skipped }
  }
  const found = await findEndpoint(stripe, url)
  const enabled_events: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [...stripeEventTypes]
  if (!found) {
    const made = await stripe.webhookEndpoints.create({ url, enabled_events, api_version: stripeApiVersion })
    return {
      changes: [`webhook endpoint ${url}: made ${made.id}`],
      secret: made.secret ?? null,
      skipped: null,
    }
  }
  if (!endpointProblems(found).some((problem) => problem.can_be_updated))
    return { changes: [], secret: null, skipped: null }
  await stripe.webhookEndpoints.update(found.id, { enabled_events, disabled: false })
  return { changes: [`webhook endpoint ${url}: brought up to date`], secret: null, skipped: null }
}
