import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice, newProduct } from '../entities/price.ts'
import { existing, invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPrice, StoredProduct } from '../state.ts'
import type { CreateSessionParams } from '../wire/checkout-session-params.ts'

export type Line = {
  price: StoredPrice
  product: StoredProduct
  quantity: number
  is_new_price: boolean
  is_new_product: boolean
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
    return { price, product, quantity, is_new_price: false, is_new_product: false }
  }
  if (!price_data.product === !price_data.product_data) {
    throw invalidRequest('You must specify either `product` or `product_data`.', {
      param: `${param}[price_data]`,
    })
  }
  const known = store.products.get(price_data.product)
  if (price_data.product && !known)
    throw noSuch('product', price_data.product, `${param}[price_data][product]`)
  const data = price_data.product_data
  const product =
    known ??
    newProduct(service, {
      active: false,
      description: data?.description ?? null,
      images: data?.images ?? [],
      metadata: mergeMetadata(null, data?.metadata),
      name: data?.name ?? '',
      tax_code: data?.tax_code ?? null,
      unit_label: data?.unit_label ?? null,
    })
  const metadata = mergeMetadata(null, price_data.metadata)
  const price = newPrice(service, { ...price_data, active: false, metadata, product: product.id })
  checkType(price, { mode, param })
  return { price, product, quantity, is_new_price: true, is_new_product: !known }
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
