import { newId } from '../ids.ts'
import type { Service } from '../service.ts'
import type { StripeSandboxOptions } from '../settings.ts'
import type { StoredWebhookEndpoint } from '../state.ts'

export function newWebhookEndpoint(
  { clock }: Pick<Service, 'clock'>,
  input: Pick<StoredWebhookEndpoint, 'enabled_events' | 'url'> &
    Partial<Pick<StoredWebhookEndpoint, 'api_version' | 'description' | 'id' | 'metadata'>>,
): StoredWebhookEndpoint {
  return {
    id: input.id ?? newId('we'),
    object: 'webhook_endpoint',
    api_version: input.api_version ?? null,
    application: null,
    created: clock.now(),
    description: input.description ?? null,
    enabled_events: input.enabled_events,
    livemode: false,
    metadata: input.metadata ?? {},
    status: 'enabled',
    url: input.url,
  }
}

const configured_id = 'we_sandbox_from_environment'

/** The endpoint that the environment names exists from the start, follows the environment, and goes when it is emptied. */
export function configureEndpoint(
  { store, clock }: Pick<Service, 'clock' | 'store'>,
  { webhook_url, webhook_secret }: Pick<StripeSandboxOptions, 'webhook_secret' | 'webhook_url'>,
): void {
  if (webhook_url === null) {
    store.webhook_endpoints.remove(configured_id)
    return
  }
  const endpoint = newWebhookEndpoint(
    { clock },
    {
      id: configured_id,
      enabled_events: ['*'],
      url: webhook_url,
      description: 'From SANDBOX_STRIPE_WEBHOOK_URL',
    },
  )
  const existing = store.webhook_endpoints.get(configured_id)
  store.signing_secrets.put({ id: configured_id, secret: webhook_secret })
  store.webhook_endpoints.put({ ...endpoint, created: existing?.created ?? endpoint.created })
}
