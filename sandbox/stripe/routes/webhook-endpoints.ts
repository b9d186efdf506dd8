import type { Router } from '@koa/router'
import { z } from 'zod'
import { randomText } from '../../kit/id.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newWebhookEndpoint } from '../entities/webhook-endpoint.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { clearable, defined, flag, metadata, text, webUrl } from '../wire/params.ts'
import { resource } from './resource.ts'

const shared = { description: clearable.optional(), metadata: metadata.optional() }
const createParams = {
  ...shared,
  api_version: text.optional(),
  enabled_events: z.array(text).min(1),
  url: webUrl,
}
const updateParams = {
  ...shared,
  disabled: flag.optional(),
  enabled_events: z.array(text).min(1).optional(),
  url: webUrl.optional(),
}

export function webhookEndpointRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  const find = resource(router, service, {
    path: '/v1/webhook_endpoints',
    noun: 'webhook endpoint',
    table: store.webhook_endpoints,
    filters: {},
    changes: updateParams,
    update: (before, { params: { disabled, ...input } }) =>
      store.webhook_endpoints.put({
        ...before,
        description: input.description === undefined ? before.description : input.description,
        enabled_events: input.enabled_events ?? before.enabled_events,
        metadata: mergeMetadata(before.metadata, input.metadata),
        status: disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled',
        url: input.url ?? before.url,
      }),
  })

  call('POST /v1/webhook_endpoints', createParams, ({ params: { metadata, ...input } }) => {
    const endpoint = store.webhook_endpoints.put(
      newWebhookEndpoint(service, { ...defined(input), metadata: mergeMetadata(null, metadata) }),
    )
    const secret = `whsec_${randomText(32)}`
    store.signing_secrets.put({ id: endpoint.id, secret })
    return { ...endpoint, secret }
  })

  call('DELETE /v1/webhook_endpoints/:id', {}, ({ id }) => {
    find(id)
    store.webhook_endpoints.remove(id)
    store.signing_secrets.remove(id)
    return { id, object: 'webhook_endpoint', deleted: true }
  })
}
