import type { Router } from '@koa/router'
import { z } from 'zod'
import { randomText } from '../../kit/id.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newWebhookEndpoint } from '../entities/webhook-endpoint.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { clearable, common, flag, metadata, readParams, text, webUrl } from '../wire/params.ts'
import { resource } from './resource.ts'

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

  const find = resource(router, service, {
    path: '/v1/webhook_endpoints',
    noun: 'webhook endpoint',
    table: store.webhook_endpoints,
    filters: {},
    update: (before, { form }) => {
      const { disabled, ...input } = readParams(updateParams, form)
      return store.webhook_endpoints.put({
        ...before,
        description: input.description === undefined ? before.description : input.description,
        enabled_events: input.enabled_events ?? before.enabled_events,
        metadata: mergeMetadata(before.metadata, input.metadata),
        status: disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled',
        url: input.url ?? before.url,
      })
    },
  })

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
