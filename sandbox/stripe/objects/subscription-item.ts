import type { CarriedPrice, StoredPrice, StoredSubscriptionItem } from '../entities.ts'
import { newId } from '../ids.ts'
import type { World } from '../world.ts'

export type Period = { start: number; end: number }

/** What a subscription consists of. Billing periods are the items' own; here all items of one share theirs. */
export function newSubscriptionItem(
  { clock }: World,
  {
    subscription,
    price,
    quantity,
    metadata,
    period,
  }: {
    subscription: string
    price: StoredPrice
    quantity: number
    metadata: Record<string, string>
    period: Period
  },
): StoredSubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: clock.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata,
    ...pricedBy(price),
    quantity,
    subscription,
    tax_rates: [],
  }
}

/** The price of an item in both forms that Stripe shows: as it is, and as the plan of former times. */
export function pricedBy(price: StoredPrice): Pick<StoredSubscriptionItem, 'plan' | 'price'> {
  const { currency_options: _, ...carried } = price
  return { plan: planOf(carried), price: carried }
}

function planOf(price: CarriedPrice): StoredSubscriptionItem['plan'] {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: price.recurring?.trial_period_days ?? null,
    usage_type: 'licensed',
  }
}
