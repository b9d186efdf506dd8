import type Stripe from 'stripe'
import { setUpPortals } from './set-up-portals.ts'
import { setUpPrices } from './set-up-prices.ts'
import { setUpWebhook, type WebhookOptions, type WebhookResult } from './set-up-webhook.ts'

export interface StripeSetUp {
  /** What was made or changed, in words; empty when everything was as it has to be. */
  readonly changes: readonly string[]
  /** Null when no endpoint was asked for. */
  readonly webhook: WebhookResult | null
}

/**
 * Makes a Stripe account ready to sell the catalogue: products, prices, portals, webhook endpoint. Harmless when repeated;
 * whatever else the account holds is left alone.
 */
export async function setUpStripe(
  stripe: Stripe,
  options: {
    readonly app_url: string
    readonly brand_name: string
    /** Null where the events' way is arranged by somebody else, as in the sandbox. */
    readonly webhook: WebhookOptions | null
  },
): Promise<StripeSetUp> {
  const prices = await setUpPrices(stripe, options)
  const portals = await setUpPortals(stripe, options, prices.prices)
  const webhook = options.webhook ? await setUpWebhook(stripe, options.webhook) : null
  return { changes: [...prices.changes, ...portals, ...(webhook?.changes ?? [])], webhook }
}
