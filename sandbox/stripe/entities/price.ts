import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { EmbeddedPrice, StoredCurrencyOption, StoredPrice, StoredProduct } from '../state.ts'
import { formatMoney } from './format.ts'
import { asPublished } from './published.ts'

type ProductInput = Pick<StoredProduct, 'name' | 'metadata'> & Partial<StoredProduct>

export function newProduct({ clock, livemode }: Service, input: ProductInput): StoredProduct {
  return asPublished<StoredProduct>({
    id: newId('prod', 14),
    object: 'product',
    active: true,
    created: clock.now(),
    images: [],
    livemode,
    marketing_features: [],
    tax_details: null,
    type: 'service',
    updated: clock.now(),
    ...input,
  })
}

type Recurring = {
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count?: number | undefined
  trial_period_days?: number | undefined
}

type TaxBehavior = 'exclusive' | 'inclusive' | 'unspecified'

type PriceInput = {
  active?: boolean | undefined
  currency: string
  currency_options?:
    | Record<string, { unit_amount: number; tax_behavior?: TaxBehavior | undefined }>
    | undefined
  lookup_key?: string | null | undefined
  metadata: Record<string, string>
  product: string
  recurring?: Recurring | undefined
  tax_behavior?: TaxBehavior | undefined
  unit_amount: number
}

/** A new account has no default tax behavior, so each currency is unspecified until it is set. */
export function newPrice({ clock, livemode }: Service, input: PriceInput): StoredPrice {
  const tax_behavior = input.tax_behavior ?? 'unspecified'
  const others = Object.entries(input.currency_options ?? {}).map(
    ([currency, { unit_amount, tax_behavior = 'unspecified' }]) =>
      [currency, currencyOption({ unit_amount, tax_behavior })] as const,
  )
  return asPublished<StoredPrice>({
    id: newId('price'),
    object: 'price',
    active: input.active ?? true,
    billing_scheme: 'per_unit',
    created: clock.now(),
    currency: input.currency,
    currency_options: {
      [input.currency]: currencyOption({ unit_amount: input.unit_amount, tax_behavior }),
      ...Object.fromEntries(others),
    },
    livemode,
    lookup_key: input.lookup_key ?? null,
    metadata: input.metadata,
    product: input.product,
    recurring: input.recurring
      ? {
          interval: input.recurring.interval,
          interval_count: input.recurring.interval_count ?? 1,
          meter: null,
          trial_period_days: input.recurring.trial_period_days ?? null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior,
    type: input.recurring ? 'recurring' : 'one_time',
    unit_amount: input.unit_amount,
    unit_amount_decimal: String(input.unit_amount),
  })
}

function currencyOption({
  unit_amount,
  tax_behavior,
}: {
  unit_amount: number
  tax_behavior: TaxBehavior
}): StoredCurrencyOption {
  return { custom_unit_amount: null, tax_behavior, unit_amount, unit_amount_decimal: String(unit_amount) }
}

type TaxChanges = {
  tax_behavior?: TaxBehavior | undefined
  currency_options?:
    | Record<string, { unit_amount?: number | undefined; tax_behavior?: TaxBehavior | undefined }>
    | undefined
}

/**
 * "Once specified as either `inclusive` or `exclusive`, it cannot be changed."
 * (https://docs.stripe.com/api/prices/object, `tax_behavior`, of the price and of each currency; the text of
 * the refusal is not documented.)
 */
export function withTaxBehavior(
  price: StoredPrice,
  changes: TaxChanges,
): Pick<StoredPrice, 'currency_options' | 'tax_behavior'> {
  const tax_behavior = setOnce(price, changes.tax_behavior, 'tax_behavior')
  const options = { ...price.currency_options }
  for (const [currency, asked] of Object.entries(changes.currency_options ?? {})) {
    const param = `currency_options[${currency}]`
    const before = options[currency]
    const unit_amount = asked.unit_amount ?? before?.unit_amount
    if (unit_amount === undefined || unit_amount === null) {
      throw invalidRequest(`Missing required param: ${param}[unit_amount].`, {
        code: 'parameter_missing',
        param,
      })
    }
    const behavior = setOnce(before ?? { tax_behavior: null }, asked.tax_behavior, `${param}[tax_behavior]`)
    options[currency] = currencyOption({ unit_amount, tax_behavior: behavior })
  }
  const own = options[price.currency]
  if (own) options[price.currency] = { ...own, tax_behavior }
  return { tax_behavior, currency_options: options }
}

function setOnce(
  { tax_behavior: before }: { tax_behavior: string | null },
  asked: TaxBehavior | undefined,
  param: string,
): TaxBehavior {
  const known = (before ?? 'unspecified') as TaxBehavior
  if (asked === undefined || asked === known) return known
  if (known === 'unspecified') return asked
  throw invalidRequest(`The tax behavior is \`${known}\` and cannot be changed.`, { param })
}

/** What one of it costs in a currency that the price supports. */
export function unitAmount({ store }: Service, price: EmbeddedPrice, currency: string): number {
  const unit_amount = store.prices.get(price.id)?.currency_options[currency]?.unit_amount
  if (unit_amount === undefined || unit_amount === null) {
    throw new Error(`Price ${price.id} has no amount in ${currency}.`)
  }
  return unit_amount
}

export function productName({ store }: Service, price: EmbeddedPrice): string {
  return store.products.get(price.product)?.name ?? price.product
}

/** "month", "3 months": the text after "per" or "every". */
export function intervalName({ recurring }: EmbeddedPrice): string {
  const { interval = 'month', interval_count = 1 } = recurring ?? {}
  return interval_count === 1 ? interval : `${interval_count} ${interval}s`
}

/** As Stripe writes it on invoices: "5 × Teams (at €30.00 / month)". */
export function describePeriod(
  service: Service,
  { price, quantity, currency }: { price: EmbeddedPrice; quantity: number; currency: string },
): string {
  const each = formatMoney({ amount: unitAmount(service, price, currency), currency })
  const every = price.recurring?.interval_count === 1 ? '/' : 'every'
  return `${quantity} × ${productName(service, price)} (at ${each} ${every} ${intervalName(price)})`
}
