import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { State, StoredEvent, StoredWebhookEndpoint } from '../state.ts'
import { api_version } from './event.ts'

export function newWebhookEndpoint(
  { clock, livemode }: Service,
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
    livemode,
    metadata: input.metadata ?? {},
    status: 'enabled',
    url: input.url,
  }
}

const configured_id = 'we_sandbox_from_environment'

/** The endpoint of the environment exists from the start and follows the environment. */
export function configureEndpoint(service: Service): void {
  const { store, settings } = service
  if (settings.webhookUrl === null) {
    store.webhook_endpoints.remove(configured_id)
    return
  }
  const endpoint = newWebhookEndpoint(service, {
    id: configured_id,
    api_version,
    enabled_events: ['*'],
    url: settings.webhookUrl,
    description: 'From SANDBOX_STRIPE_WEBHOOK_URL',
  })
  const existing = store.webhook_endpoints.get(configured_id)
  store.signing_secrets.put({ id: configured_id, secret: settings.webhookSecret })
  store.webhook_endpoints.put({ ...endpoint, created: existing?.created ?? endpoint.created })
}

/** Where an event goes: to the endpoints that asked for its type. */
export function endpointsFor(store: State, { type }: StoredEvent): string[] {
  return store.webhook_endpoints
    .filter(
      ({ status, enabled_events }) =>
        status === 'enabled' && (enabled_events.includes('*') || enabled_events.includes(type)),
    )
    .map(({ id }) => id)
}
