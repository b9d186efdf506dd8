import { defined } from '../../kit/defined.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice, newProduct } from '../entities/price.ts'
import { existing, invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPrice, StoredProduct } from '../state.ts'
import type { CreateSessionParams } from '../wire/checkout-session-params.ts'

export type Line = {
  price: StoredPrice
  product: StoredProduct
  quantity: number
  is_new: boolean
}

/** The price of a line item: one of the catalogue, or inline data. */
export function priceLine(
  service: Service,
  {
    item,
    mode,
    param,
  }: { item: CreateSessionParams['line_items'][number]; mode: CreateSessionParams['mode']; param: string },
): Line {
  const { store } = service
  const { quantity, price_data } = item
  if (!price_data) {
    const price = existing(store.prices, 'price', item.price, `${param}[price]`)
    if (!price.active) {
      throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, {
        param,
      })
    }
    checkType(price, { mode, param })
    const product = existing(store.products, 'product', price.product, param)
    return { price, product, quantity, is_new: false }
  }
  const { product_data, metadata, ...data } = price_data
  const product = newProduct(service, {
    ...defined(product_data),
    active: false,
    metadata: mergeMetadata(null, product_data.metadata),
  })
  const price = newPrice(service, {
    ...data,
    active: false,
    metadata: mergeMetadata(null, metadata),
    product: product.id,
  })
  checkType(price, { mode, param })
  return { price, product, quantity, is_new: true }
}

function checkType(
  price: StoredPrice,
  { mode, param }: { mode: CreateSessionParams['mode']; param: string },
): void {
  if (mode === 'payment' && price.type === 'recurring') {
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      { param },
    )
  }
  if (mode === 'subscription' && price.type === 'one_time') {
    throw invalidRequest('The sandbox sells no one-time prices together with a subscription.', { param })
  }
}

/** All lines must have a price in one currency: the one asked for, or that of the first line. */
export function sessionCurrency(asked: string | undefined, lines: Line[]): string {
  const currency = asked ?? lines[0]?.price.currency ?? ''
  if (lines.some(({ price }) => !price.currency_options[currency])) {
    throw invalidRequest(`The price specified supports no currency \`${currency}\`.`, { param: 'line_items' })
  }
  return currency
}
