import type { Router } from '@koa/router'
import { z } from 'zod'
import { randomText } from '../../kit/id.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newWebhookEndpoint } from '../entities/webhook-endpoint.ts'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredWebhookEndpoint } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { clearable, common, flag, metadata, pagination, readParams, text, webUrl } from '../wire/params.ts'

const shared = { ...common, description: clearable.optional(), metadata: metadata.optional() }
const createParams = z.strictObject({
  ...shared,
  api_version: text.optional(),
  enabled_events: z.array(text).min(1),
  url: webUrl,
})
const updateParams = z.strictObject({
  ...shared,
  disabled: flag.optional(),
  enabled_events: z.array(text).min(1).optional(),
  url: webUrl.optional(),
})

export function webhookEndpointRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredWebhookEndpoint => {
    const endpoint = store.webhook_endpoints.get(id)
    if (!endpoint) throw noSuch('webhook endpoint', id)
    return endpoint
  }

  router.post(
    '/v1/webhook_endpoints',
    handle(service, ({ form }) => {
      const input = readParams(createParams, form)
      const endpoint = store.webhook_endpoints.put(
        newWebhookEndpoint(service, {
          url: input.url,
          enabled_events: input.enabled_events,
          api_version: input.api_version ?? null,
          description: input.description ?? null,
          metadata: mergeMetadata(null, input.metadata),
        }),
      )
      const secret = `whsec_${randomText(32)}`
      store.signing_secrets.put({ id: endpoint.id, secret })
      return { ...endpoint, secret }
    }),
  )

  router.get(
    '/v1/webhook_endpoints',
    handle(service, ({ form }) =>
      listPage(store.webhook_endpoints, readParams(z.strictObject(pagination), form), {
        url: '/v1/webhook_endpoints',
        noun: 'webhook endpoint',
        matches: () => true,
      }),
    ),
  )

  router.get(
    '/v1/webhook_endpoints/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/webhook_endpoints/:id',
    handle(service, ({ form, path }) => {
      const { disabled, ...input } = readParams(updateParams, form)
      const before = find(path('id'))
      return store.webhook_endpoints.put({
        ...before,
        description: input.description === undefined ? before.description : input.description,
        enabled_events: input.enabled_events ?? before.enabled_events,
        metadata: mergeMetadata(before.metadata, input.metadata),
        status: disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled',
        url: input.url ?? before.url,
      })
    }),
  )

  router.delete(
    '/v1/webhook_endpoints/:id',
    handle(service, ({ path }) => {
      const { id } = find(path('id'))
      store.webhook_endpoints.remove(id)
      store.signing_secrets.remove(id)
      return { id, object: 'webhook_endpoint', deleted: true }
    }),
  )
}
