import type Stripe from 'stripe'
import { stripeApiVersion } from '../../schema/vendors/stripe/client.ts'
import { stripeEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import {
  findWebhookEndpoint,
  isLoopback,
  webhookProblems,
} from '../../schema/vendors/stripe/webhook-endpoint.ts'

export interface WebhookResult {
  readonly changes: readonly string[]
  /** Only returned on creation; otherwise null. */
  readonly secret: string | null
  /** Why there is no endpoint; null when there is one. */
  readonly skipped: string | null
  /** What differs and only a person can change. */
  readonly warnings: readonly string[]
}

export interface WebhookOptions {
  readonly webhook_url: string
  /** Stripe cannot reach such an address; the sandbox can. */
  readonly may_reach_localhost: boolean
}

/** Creates the webhook endpoint or adds missing event types, and compares its API version. */
export async function setUpWebhook(stripe: Stripe, options: WebhookOptions): Promise<WebhookResult> {
  const url = options.webhook_url
  const nothing = { changes: [], secret: null, skipped: null, warnings: [] }
  if (!options.may_reach_localhost && isLoopback(url)) {
    const skipped = `Stripe cannot reach ${url}; forward its events with: stripe listen --forward-to ${url}`
    return { ...nothing, skipped }
  }
  const found = await findWebhookEndpoint(stripe, url)
  const enabled_events: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [...stripeEventTypes]
  if (!found) {
    const made = await stripe.webhookEndpoints.create({ url, enabled_events, api_version: stripeApiVersion })
    return {
      ...nothing,
      changes: [`webhook endpoint ${url}: made ${made.id}`],
      secret: made.secret ?? null,
    }
  }
  const problems = webhookProblems(found)
  const warnings = problems.flatMap(({ text, advice }) =>
    advice === null ? [] : [`webhook endpoint ${url}: ${text}. ${advice}`],
  )
  if (problems.length === warnings.length) return { ...nothing, warnings }
  await stripe.webhookEndpoints.update(found.id, { enabled_events, disabled: false })
  return { ...nothing, changes: [`webhook endpoint ${url}: brought up to date`], warnings }
}
