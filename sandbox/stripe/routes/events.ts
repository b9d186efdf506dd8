import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import { randomText } from '../../kit/id.ts'
import { settingsOf } from '../entities/account.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newWebhookEndpoint } from '../entities/webhook-endpoint.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { clearable, flag, metadata, range, text, webUrl } from '../wire/params.ts'
import { resource } from './resource.ts'

export function eventRoutes(router: Router, service: Service): void {
  const { store } = service
  resource(router, service, {
    path: '/v1/events',
    noun: 'event',
    table: store.events,
    filters: {
      created: range.optional(),
      type: text.optional(),
      types: z.array(text).max(20, 'You can ask for at most 20 types').optional(),
    },
    isListed: ({ id }, { type, types }) => {
      if (type !== undefined && types !== undefined) {
        throw invalidRequest('You may only specify one of these parameters: type, types.')
      }
      return !settingsOf(store).unlisted_events.includes(id)
    },
    where: {
      type: ({ type }, wanted) => matchesType(type, wanted),
      types: ({ type }, wanted) => wanted.some((one) => matchesType(type, one)),
    },
  })
}

/** `charge.*` matches all types with that prefix. */
function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

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
