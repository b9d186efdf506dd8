import type {
  StoredCustomer,
  StoredLineItem,
  StoredPrice,
  StoredProduct,
  StoredSession,
} from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { newSession } from '../objects/checkout-session.ts'
import { newLineItem } from '../objects/line-item.ts'
import { debitTypeFor } from '../objects/payment-method.ts'
import { newPrice } from '../objects/price.ts'
import { newProduct } from '../objects/product.ts'
import type { CreateSessionParams } from '../routes/checkout-session-params.ts'
import { mergeMetadata } from '../wire/params.ts'
import type { World } from '../world.ts'

const smallest_total = 50
const largest_total = 99_999_999
const minute = 60
const day = 24 * 60 * minute

/** A new checkout. Everything is checked before anything is stored, so that a refused call leaves no trace. */
export function createSession(world: World, params: CreateSessionParams): StoredSession {
  const { store, clock } = world
  const customer = findCustomer(world, params)
  const lines = params.line_items.map((item, index) => priceLine(world, { item, index }))
  const currency = sessionCurrency(params.currency, lines)
  const line_items = lines.map(
    ({ price, product, quantity }): StoredLineItem =>
      newLineItem({ price, currency, quantity, description: product.name }),
  )
  checkTotal(line_items)
  const intent_data = params.payment_intent_data
  const session = newSession(world, {
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    currency,
    customer,
    customer_creation: customer ? null : (params.customer_creation ?? 'if_required'),
    customer_email: params.customer_email ?? null,
    expires_at: expiry(params.expires_at, clock.now()),
    line_items,
    locale: params.locale ?? null,
    metadata: mergeMetadata(null, params.metadata),
    mode: params.mode,
    payment_method_types: paymentMethodTypes(params.payment_method_types, currency),
    submit_type: params.submit_type ?? null,
    success_url: params.success_url,
  })
  const payment_intent_data = {
    description: intent_data?.description ?? null,
    metadata: mergeMetadata(null, intent_data?.metadata),
    receipt_email: intent_data?.receipt_email ?? null,
    setup_future_usage: intent_data?.setup_future_usage ?? null,
    statement_descriptor: intent_data?.statement_descriptor ?? null,
    statement_descriptor_suffix: intent_data?.statement_descriptor_suffix ?? null,
    transfer_group: intent_data?.transfer_group ?? null,
  }
  for (const line of lines) {
    if (line.is_new_product) store.products.put(line.product)
    if (line.is_new_price) store.prices.put(line.price)
  }
  store.checkout_details.put({ id: session.id, line_items, payment_intent_data, settles_at_ms: null })
  return store.checkout_sessions.put(session)
}

function findCustomer({ store }: World, params: CreateSessionParams): StoredCustomer | null {
  if (params.customer === undefined) return null
  if (params.customer_email !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.', {
      param: 'customer_email',
    })
  }
  const customer = store.customers.get(params.customer)
  if (!customer || customer.deleted) throw noSuch('customer', params.customer, 'customer')
  return customer
}

type Line = {
  price: StoredPrice
  product: StoredProduct
  quantity: number
  is_new_price: boolean
  is_new_product: boolean
}

function priceLine(
  world: World,
  { item, index }: { item: CreateSessionParams['line_items'][number]; index: number },
): Line {
  const { store } = world
  const { quantity, price_data } = item
  const param = `line_items[${index}]`
  if (!price_data) {
    const price = store.prices.get(item.price ?? '')
    if (!price) throw noSuch('price', item.price ?? '', `${param}[price]`)
    if (!price.active) {
      throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, {
        param,
      })
    }
    refuseRecurring(price, param)
    const product = store.products.get(price.product)
    if (!product) throw noSuch('product', price.product, param)
    return { price, product, quantity, is_new_price: false, is_new_product: false }
  }
  if (!price_data.product === !price_data.product_data) {
    throw invalidRequest('You must specify either `product` or `product_data`.', {
      param: `${param}[price_data]`,
    })
  }
  const known = store.products.get(price_data.product ?? '')
  if (price_data.product && !known)
    throw noSuch('product', price_data.product, `${param}[price_data][product]`)
  const data = price_data.product_data
  const product =
    known ??
    newProduct(world, {
      active: false,
      description: data?.description ?? null,
      images: data?.images ?? [],
      metadata: mergeMetadata(null, data?.metadata),
      name: data?.name ?? '',
      unit_label: data?.unit_label ?? null,
    })
  const metadata = mergeMetadata(null, price_data.metadata)
  const price = newPrice(world, { ...price_data, active: false, metadata, product: product.id })
  refuseRecurring(price, param)
  return { price, product, quantity, is_new_price: true, is_new_product: !known }
}

function refuseRecurring(price: StoredPrice, param: string): void {
  if (price.type === 'one_time') return
  throw invalidRequest(
    'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
    { param },
  )
}

/** All lines must have a price in one currency: the one asked for, or that of the first line. */
function sessionCurrency(asked: string | undefined, lines: Line[]): string {
  const currency = asked ?? lines[0]?.price.currency ?? ''
  if (lines.some(({ price }) => !price.currency_options[currency])) {
    throw invalidRequest(`The price specified supports no currency \`${currency}\`.`, { param: 'line_items' })
  }
  return currency
}

function checkTotal(line_items: StoredLineItem[]): void {
  const total = line_items.reduce((sum, item) => sum + item.amount_total, 0)
  if (total > 0 && total < smallest_total) {
    throw invalidRequest(
      "The Checkout Session's total amount must convert to at least 50 cents. Use a larger amount.",
      { code: 'amount_too_small' },
    )
  }
  if (total > largest_total) {
    throw invalidRequest("The Checkout Session's total amount must be no more than 999,999.99.", {
      code: 'amount_too_large',
    })
  }
}

function expiry(asked: number | undefined, now: number): number {
  if (asked === undefined) return now + day
  // The caller's clock may be a little behind or ahead of ours.
  if (asked < now + 30 * minute - 5) {
    throw invalidRequest(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
      {
        param: 'expires_at',
      },
    )
  }
  if (asked > now + day + 5) {
    throw invalidRequest(
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
      {
        param: 'expires_at',
      },
    )
  }
  return asked
}

/** Without a wish the page offers what fits the currency, as Stripe's dynamic payment methods do. */
function paymentMethodTypes(asked: string[] | undefined, currency: string): string[] {
  const debit = debitTypeFor(currency)
  if (!asked) return debit ? ['card', debit] : ['card']
  for (const type of asked) {
    if (type !== 'card' && type !== debit) {
      throw invalidRequest(
        `The payment method \`${type}\` cannot be used with the currency \`${currency}\`.`,
        {
          param: 'payment_method_types',
        },
      )
    }
  }
  return asked
}
