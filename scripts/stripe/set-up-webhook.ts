import type Stripe from 'stripe'
import { stripeApiVersion } from '../../schema/stripe/client.ts'
import { stripeEventTypes } from '../../schema/stripe/event-types.ts'

export interface WebhookResult {
  readonly changes: readonly string[]
  /** Shown by Stripe once, when it is made; null for an endpoint that is already there or that could not be made. */
  readonly secret: string | null
  /** Why there is none, when there is none. */
  readonly skipped: string | null
}

export interface WebhookOptions {
  readonly webhook_url: string
  /** Stripe itself cannot; its stand-in can. */
  readonly may_reach_localhost: boolean
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Makes the endpoint that our events come to, or lets it receive the events that are missing. */
export async function setUpWebhook(stripe: Stripe, options: WebhookOptions): Promise<WebhookResult> {
  const url = options.webhook_url
  if (!options.may_reach_localhost && loopbackNames.includes(new URL(url).hostname)) {
    const skipped = `Stripe cannot reach ${url}; forward its events with: stripe listen --forward-to ${url}`
    return { changes: [], secret: null, skipped }
  }
  let found: Stripe.WebhookEndpoint | undefined
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) found = endpoint
  }
  const enabled_events: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [...stripeEventTypes]
  if (!found) {
    const made = await stripe.webhookEndpoints.create({ url, enabled_events, api_version: stripeApiVersion })
    return {
      changes: [`webhook endpoint ${url}: made ${made.id}`],
      secret: made.secret ?? null,
      skipped: null,
    }
  }
  if (hearsAll(found)) return { changes: [], secret: null, skipped: null }
  await stripe.webhookEndpoints.update(found.id, { enabled_events, disabled: false })
  return { changes: [`webhook endpoint ${url}: brought up to date`], secret: null, skipped: null }
}

function hearsAll({ enabled_events, status }: Stripe.WebhookEndpoint): boolean {
  const hears = (type: string) => enabled_events.includes('*') || enabled_events.includes(type)
  return status === 'enabled' && stripeEventTypes.every(hears)
}
