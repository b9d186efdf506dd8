import {
  findWebhookEndpoint,
  isLoopback,
  webhookPath,
  webhookProblems,
} from '../schema/vendors/stripe/webhook-endpoint.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * Warns when events would not come, or not in the form that we expect. Called once at the start, which does
 * not wait for it: one read-only call, whose failure (a restricted key may not list endpoints) is no reason
 * not to serve.
 */
export async function compareWebhook({
  stripe,
  settings,
  log,
}: Pick<Dependencies, 'stripe' | 'settings' | 'log'>): Promise<void> {
  const url = `${settings.app_url}${webhookPath}`
  try {
    const endpoint = await findWebhookEndpoint(stripe, url)
    // The sandbox gets the address for its events from a variable.
    if (!endpoint && (isLoopback(url) || settings.stripe_api_base !== undefined)) return
    if (!endpoint) log.warn({ url }, 'Stripe has no webhook endpoint here: npm run stripe:setup makes it')
    for (const { text, advice } of endpoint ? webhookProblems(endpoint) : []) {
      const repair = advice ?? 'npm run stripe:setup repairs it.'
      log.warn(
        { url, endpoint_id: endpoint?.id },
        `Stripe’s webhook endpoint needs a look: ${text}. ${repair}`,
      )
    }
  } catch (error) {
    log.info({ err: error, url }, 'The webhook endpoint could not be compared')
  }
}
