import type { Router } from '@koa/router'
import { z } from 'zod'
import { changedFields, emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice } from '../entities/price.ts'
import { newProduct } from '../entities/product.ts'
import { carryPrice } from '../entities/subscription-item.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredPrice } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import {
  clearable,
  common,
  currency,
  defined,
  flag,
  isWithin,
  metadata,
  pagination,
  range,
  readParams,
  text,
} from '../wire/params.ts'
import { currencyOptions, recurring, taxBehavior, unitAmount } from '../wire/price-params.ts'

const createParams = z.strictObject({
  ...common,
  active: flag.optional(),
  billing_scheme: z.literal('per_unit', 'The sandbox bills per unit only').optional(),
  currency,
  currency_options: currencyOptions.optional(),
  lookup_key: text.max(200).optional(),
  metadata: metadata.optional(),
  nickname: clearable.optional(),
  product: text.optional(),
  product_data: z
    .strictObject({
      id: text.optional(),
      name: text.min(1),
      active: flag.optional(),
      metadata: metadata.optional(),
    })
    .optional(),
  recurring: recurring.optional(),
  tax_behavior: taxBehavior.optional(),
  transfer_lookup_key: flag.optional(),
  unit_amount: unitAmount,
})
const updateParams = z.strictObject({
  ...common,
  active: flag.optional(),
  lookup_key: clearable.optional(),
  metadata: metadata.optional(),
  nickname: clearable.optional(),
  tax_behavior: taxBehavior.optional(),
  transfer_lookup_key: flag.optional(),
})
const listParams = z.strictObject({
  ...pagination,
  active: flag.optional(),
  created: range.optional(),
  currency: currency.optional(),
  lookup_keys: z.array(text).max(10, 'You can look up at most 10 keys').optional(),
  product: text.optional(),
  recurring: z.strictObject({ interval: text.optional(), usage_type: text.optional() }).optional(),
  type: z.enum(['one_time', 'recurring']).optional(),
})

export function priceRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredPrice => {
    const price = store.prices.get(id)
    if (!price) throw noSuch('price', id)
    return price
  }

  router.post(
    '/v1/prices',
    handle(service, ({ form, cause }) => {
      const { expand: _, product_data, transfer_lookup_key, ...input } = readParams(createParams, form)
      if (!input.product === !product_data) {
        throw invalidRequest('You must specify either `product` or `product_data` when creating a price.')
      }
      if (input.product && !store.products.get(input.product))
        throw noSuch('product', input.product, 'product')
      claimLookupKey(service, { key: input.lookup_key, may_transfer: transfer_lookup_key === true, cause })
      const product = product_data
        ? newProduct(service, {
            ...defined(product_data),
            metadata: mergeMetadata(null, product_data.metadata),
          })
        : null
      if (product) emit(service, 'product.created', store.products.put(product), { cause })
      const price = store.prices.put(
        newPrice(service, {
          ...input,
          product: product?.id ?? input.product ?? '',
          metadata: mergeMetadata(null, input.metadata),
        }),
      )
      emit(service, 'price.created', price, { cause })
      return price
    }),
  )

  router.get(
    '/v1/prices',
    handle(service, ({ form }) => {
      const { active, created, currency, lookup_keys, product, recurring, type, ...cursor } = readParams(
        listParams,
        form,
      )
      return listPage(store.prices, cursor, {
        url: '/v1/prices',
        noun: 'price',
        matches: (price) =>
          (active === undefined || price.active === active) &&
          (currency === undefined || price.currency === currency) &&
          (lookup_keys === undefined ||
            (price.lookup_key !== null && lookup_keys.includes(price.lookup_key))) &&
          (product === undefined || price.product === product) &&
          (recurring?.interval === undefined || price.recurring?.interval === recurring.interval) &&
          (type === undefined || price.type === type) &&
          isWithin(price.created, created),
      })
    }),
  )

  router.get(
    '/v1/prices/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/prices/:id',
    handle(service, ({ form, path, cause }) => {
      const { expand: _, metadata, transfer_lookup_key, ...input } = readParams(updateParams, form)
      const before = find(path('id'))
      if (input.lookup_key !== before.lookup_key) {
        claimLookupKey(service, { key: input.lookup_key, may_transfer: transfer_lookup_key === true, cause })
      }
      const after = store.prices.put({
        ...before,
        ...defined(input),
        metadata: mergeMetadata(before.metadata, metadata),
      })
      carryPrice(service, after)
      emit(service, 'price.updated', after, { cause, previous_attributes: changedFields(before, after) })
      return after
    }),
  )
}

/** A lookup key belongs to one price; it moves to another only when the caller says so. */
function claimLookupKey(
  service: Service,
  { key, may_transfer, cause }: { key: string | null | undefined; may_transfer: boolean; cause: Cause },
): void {
  if (!key) return
  for (const holder of service.store.prices.oldestFirst()) {
    if (holder.lookup_key !== key) continue
    if (!may_transfer) {
      throw invalidRequest(
        `A price (\`${holder.id}\`) already uses that lookup key. To transfer it, pass \`transfer_lookup_key=true\`.`,
        { code: 'resource_already_exists', param: 'lookup_key' },
      )
    }
    const without = service.store.prices.put({ ...holder, lookup_key: null })
    carryPrice(service, without)
    emit(service, 'price.updated', without, { cause, previous_attributes: { lookup_key: key } })
  }
}
