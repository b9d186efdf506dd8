import type { Router } from '@koa/router'
import { z } from 'zod'
import { changedFields, emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice } from '../entities/price.ts'
import { newProduct } from '../entities/product.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredProduct } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import {
  clearable,
  common,
  defined,
  flag,
  isWithin,
  metadata,
  pagination,
  range,
  readParams,
  text,
} from '../wire/params.ts'
import { inlinePrice } from '../wire/price-params.ts'

const fields = {
  ...common,
  active: flag.optional(),
  description: clearable.optional(),
  images: z.array(text).optional(),
  marketing_features: z.array(z.strictObject({ name: text })).optional(),
  metadata: metadata.optional(),
  shippable: flag.optional(),
  statement_descriptor: clearable.optional(),
  tax_code: clearable.optional(),
  unit_label: clearable.optional(),
  url: clearable.optional(),
}
const createParams = z.strictObject({
  ...fields,
  id: text.optional(),
  name: text.min(1, 'You passed an empty string'),
  default_price_data: inlinePrice.optional(),
})
const updateParams = z.strictObject({
  ...fields,
  name: text.min(1).optional(),
  default_price: text.optional(),
})
const listParams = z.strictObject({
  ...pagination,
  active: flag.optional(),
  created: range.optional(),
  ids: z.array(text).optional(),
  url: text.optional(),
})

export function productRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredProduct => {
    const product = store.products.get(id)
    if (!product) throw noSuch('product', id)
    return product
  }

  router.post(
    '/v1/products',
    handle(service, ({ form, cause }) => {
      const { expand: _, metadata, default_price_data, ...input } = readParams(createParams, form)
      if (input.id !== undefined && store.products.get(input.id)) {
        throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' })
      }
      const product = newProduct(service, { ...defined(input), metadata: mergeMetadata(null, metadata) })
      if (default_price_data) {
        const price = newPrice(service, {
          ...default_price_data,
          product: product.id,
          metadata: mergeMetadata(null, default_price_data.metadata),
        })
        product.default_price = store.prices.put(price).id
        emit(service, 'price.created', price, { cause })
      }
      emit(service, 'product.created', store.products.put(product), { cause })
      return product
    }),
  )

  router.get(
    '/v1/products',
    handle(service, ({ form }) => {
      const { active, created, ids, url, ...cursor } = readParams(listParams, form)
      return listPage(store.products, cursor, {
        url: '/v1/products',
        noun: 'product',
        matches: (product) =>
          (active === undefined || product.active === active) &&
          (ids === undefined || ids.includes(product.id)) &&
          (url === undefined || product.url === url) &&
          isWithin(product.created, created),
      })
    }),
  )

  router.get(
    '/v1/products/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/products/:id',
    handle(service, ({ form, path, cause }) => {
      const { expand: _, metadata, ...input } = readParams(updateParams, form)
      const before = find(path('id'))
      if (input.default_price !== undefined && !store.prices.get(input.default_price)) {
        throw noSuch('price', input.default_price, 'default_price')
      }
      const after = store.products.put({
        ...before,
        ...defined(input),
        metadata: mergeMetadata(before.metadata, metadata),
        updated: service.clock.now(),
      })
      emit(service, 'product.updated', after, { cause, previous_attributes: changedFields(before, after) })
      return after
    }),
  )
}
