import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice, newProduct, withTaxBehavior } from '../entities/price.ts'
import { copyPriceToSubscriptions } from '../entities/subscription.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { clearable, currency, flag, metadata, range, text } from '../wire/params.ts'
import {
  currencyOptionChanges,
  currencyOptions,
  recurring,
  taxBehavior,
  unitAmount,
} from '../wire/price-params.ts'
import { putUpdated, resource } from './resource.ts'

const productFields = {
  active: flag.optional(),
  description: clearable.optional(),
  images: z.array(text).optional(),
  metadata: metadata.optional(),
  tax_code: clearable.optional(),
  unit_label: clearable.optional(),
}
const productParams = {
  ...productFields,
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
    },
    changes: { ...productFields, name: text.min(1).optional() },
    update: (before, { params: { metadata, ...input }, cause }) =>
      putUpdated(service, store.products, {
        before,
        changes: { ...input, updated: service.clock.now() },
        metadata,
        event: 'product.updated',
        cause,
      }),
  })

  callsOf(router, service)('POST /v1/products', productParams, ({ params, cause }) => {
    const { metadata, ...input } = params
    if (input.id !== undefined && store.products.get(input.id)) {
      throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' })
    }
    const product = newProduct(service, { ...defined(input), metadata: mergeMetadata(null, metadata) })
    emit(service, 'product.created', store.products.put(product), { cause })
    return product
  })
}

const createParams = {
  active: flag.optional(),
  billing_scheme: z.literal('per_unit', 'The sandbox bills per unit only').optional(),
  currency,
  currency_options: currencyOptions.optional(),
  lookup_key: text.max(200).optional(),
  metadata: metadata.optional(),
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
}
const updateParams = {
  active: flag.optional(),
  currency_options: currencyOptionChanges.optional(),
  lookup_key: clearable.optional(),
  metadata: metadata.optional(),
  tax_behavior: taxBehavior.optional(),
  transfer_lookup_key: flag.optional(),
}
const filters = {
  active: flag.optional(),
  created: range.optional(),
  currency: currency.optional(),
  lookup_keys: z.array(text).max(10, 'You can look up at most 10 keys').optional(),
  product: text.optional(),
  type: z.enum(['one_time', 'recurring']).optional(),
}

export function priceRoutes(router: Router, service: Service): void {
  const { store } = service

  resource(router, service, {
    path: '/v1/prices',
    noun: 'price',
    table: store.prices,
    filters,
    where: {
      lookup_keys: ({ lookup_key }, keys) => lookup_key !== null && keys.includes(lookup_key),
    },
    changes: updateParams,
    update: (before, { params: { metadata, transfer_lookup_key, ...asked }, cause }) => {
      const changes = { ...asked, ...withTaxBehavior(before, asked) }
      if (changes.lookup_key !== before.lookup_key) {
        claimLookupKey(service, {
          key: changes.lookup_key,
          may_transfer: transfer_lookup_key === true,
          cause,
        })
      }
      const event = 'price.updated'
      const after = putUpdated(service, store.prices, { before, changes, metadata, event, cause })
      copyPriceToSubscriptions(service, after)
      return after
    },
  })

  callsOf(router, service)('POST /v1/prices', createParams, ({ params, cause }) => {
    const { product_data, transfer_lookup_key, ...input } = params
    if (!input.product === !product_data) {
      throw invalidRequest('You must specify either `product` or `product_data` when creating a price.')
    }
    if (input.product && !store.products.get(input.product)) throw noSuch('product', input.product, 'product')
    claimLookupKey(service, { key: input.lookup_key, may_transfer: transfer_lookup_key === true, cause })
    const product =
      product_data &&
      newProduct(service, {
        ...defined(product_data),
        metadata: mergeMetadata(null, product_data.metadata),
      })
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
  })
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
    copyPriceToSubscriptions(service, without)
    emit(service, 'price.updated', without, { cause, previous_attributes: { lookup_key: key } })
  }
}
