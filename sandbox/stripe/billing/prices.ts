import type { CarriedPrice } from '../entities.ts'
import { formatMoney } from '../pages/money.ts'
import type { World } from '../world.ts'

/** What one of it costs in a currency that the price supports. */
export function unitAmount({ store }: World, price: CarriedPrice, currency: string): number {
  const unit_amount = store.prices.get(price.id)?.currency_options[currency]?.unit_amount
  if (unit_amount === undefined || unit_amount === null) {
    throw new Error(`Price ${price.id} has no amount in ${currency}.`)
  }
  return unit_amount
}

export function productName({ store }: World, price: CarriedPrice): string {
  return store.products.get(price.product)?.name ?? price.product
}

/** "month", "3 months": what follows "per" or "every". */
export function intervalName({ recurring }: CarriedPrice): string {
  const { interval = 'month', interval_count = 1 } = recurring ?? {}
  return interval_count === 1 ? interval : `${interval_count} ${interval}s`
}

/** As Stripe writes it on invoices: "5 × Teams (at €30.00 / month)". */
export function describePeriod(
  world: World,
  { price, quantity, currency }: { price: CarriedPrice; quantity: number; currency: string },
): string {
  const each = formatMoney({ amount: unitAmount(world, price, currency), currency })
  const every = price.recurring?.interval_count === 1 ? '/' : 'every'
  return `${quantity} × ${productName(world, price)} (at ${each} ${every} ${intervalName(price)})`
}
