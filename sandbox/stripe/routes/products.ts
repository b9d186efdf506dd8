import type { Router } from '@koa/router'
import { z } from 'zod'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newProduct } from '../entities/product.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { clearable, defined, flag, metadata, range, text } from '../wire/params.ts'
import { putUpdated, resource } from './resource.ts'

const fields = {
  active: flag.optional(),
  description: clearable.optional(),
  images: z.array(text).optional(),
  metadata: metadata.optional(),
  tax_code: clearable.optional(),
  unit_label: clearable.optional(),
}
const createParams = {
  ...fields,
  id: text.optional(),
  name: text.min(1, 'You passed an empty string'),
}

export function productRoutes(router: Router, service: Service): void {
  const { store } = service

  resource(router, service, {
    path: '/v1/products',
    noun: 'product',
    table: store.products,
    filters: {
      active: flag.optional(),
      created: range.optional(),
      ids: z.array(text).optional(),
    },
    where: { ids: ({ id }, ids) => ids.includes(id) },
    changes: { ...fields, name: text.min(1).optional() },
    update: (before, { params: { metadata, ...input }, cause }) =>
      putUpdated(service, store.products, {
        before,
        changes: { ...input, updated: service.clock.now() },
        metadata,
        event: 'product.updated',
        cause,
      }),
  })

  callsOf(router, service)('POST /v1/products', createParams, ({ params, cause }) => {
    const { metadata, ...input } = params
    if (input.id !== undefined && store.products.get(input.id)) {
      throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' })
    }
    const product = newProduct(service, { ...defined(input), metadata: mergeMetadata(null, metadata) })
    emit(service, 'product.created', store.products.put(product), { cause })
    return product
  })
}
