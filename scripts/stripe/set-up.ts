import type Stripe from 'stripe'
import { setUpPortals } from './set-up-portals.ts'
import { setUpPrices } from './set-up-prices.ts'
import { setUpWebhook, type WebhookOptions, type WebhookResult } from './set-up-webhook.ts'

export interface StripeSetUp {
  /** Created and changed objects, for people; empty when everything was right. */
  readonly changes: readonly string[]
  /** Null when no endpoint was asked for. */
  readonly webhook: WebhookResult | null
}

/** Creates products, prices, portals and the webhook endpoint of the catalogue. Repeatable. */
export async function setUpStripe(
  stripe: Stripe,
  options: {
    readonly app_url: string
    readonly brand_name: string
    readonly maximum_seats?: number
    /** Null where events are delivered without an endpoint of the account, as in the sandbox. */
    readonly webhook: WebhookOptions | null
  },
): Promise<StripeSetUp> {
  const prices = await setUpPrices(stripe, options)
  const portals = await setUpPortals(stripe, options)
  const webhook = options.webhook ? await setUpWebhook(stripe, options.webhook) : null
  return { changes: [...prices.changes, ...portals, ...(webhook?.changes ?? [])], webhook }
}
