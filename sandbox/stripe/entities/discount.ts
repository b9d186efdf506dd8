import { newId } from '../../kit/id.ts'
import { existing, invalidRequest, noSuch } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredCoupon, StoredDiscount, StoredInvoice, StoredSubscription } from '../state.ts'
import { emit } from './event.ts'
import { nextBoundary } from './period.ts'

export type DiscountRequest = { coupon?: string | undefined; discount?: string | undefined }

/** The discounts that a call asks for. Nothing is stored, so that a preview can ask too. */
export function readDiscounts(
  service: Service,
  requests: DiscountRequest[],
  {
    customer,
    subscription,
  }: { customer: string; subscription: Pick<StoredSubscription, 'discounts' | 'id'> | null },
): StoredDiscount[] {
  return requests.map(({ coupon, discount }, index) => {
    if ((coupon === undefined) === (discount === undefined)) {
      throw invalidRequest('You must pass exactly one of `coupon` and `discount`.', {
        param: `discounts[${index}]`,
      })
    }
    if (coupon !== undefined) {
      const found = existing(service.store.coupons, 'coupon', coupon, `discounts[${index}][coupon]`)
      return newDiscount(service, { coupon: found, customer, subscription: subscription?.id ?? null })
    }
    const kept = service.store.discounts.get(discount)
    if (!kept || !subscription?.discounts.includes(kept.id)) {
      throw noSuch('discount', discount ?? '', `discounts[${index}][discount]`)
    }
    return kept
  })
}

function newDiscount(
  { clock }: Service,
  { coupon, customer, subscription }: { coupon: StoredCoupon; customer: string; subscription: string | null },
): StoredDiscount {
  const start = clock.now()
  const months = coupon.duration === 'repeating' ? coupon.duration_in_months : null
  return {
    id: newId('di'),
    object: 'discount',
    checkout_session: null,
    customer,
    customer_account: null,
    end: months === null ? null : nextBoundary(start, { interval: 'month', interval_count: months }, start),
    invoice: null,
    invoice_item: null,
    promotion_code: null,
    source: { coupon: coupon.id, type: 'coupon' },
    start,
    subscription,
    subscription_item: null,
  }
}

/** Stores the new ones among the discounts: their coupons are redeemed. */
export function startDiscounts(service: Service, discounts: StoredDiscount[], cause: Cause): void {
  const { store } = service
  for (const discount of discounts) {
    const coupon = store.coupons.get(discount.source.coupon)
    if (!coupon || store.discounts.get(discount.id)) continue
    store.coupons.put({ ...coupon, times_redeemed: coupon.times_redeemed + 1 })
    emit(service, 'customer.discount.created', store.discounts.put(discount), { cause })
  }
}

/** Invoices that a discount was on still refer to it; a subscription does not any more. */
export function endDiscounts(service: Service, ids: string[], cause: Cause): void {
  for (const id of ids) {
    const discount = service.store.discounts.get(id)
    if (discount) emit(service, 'customer.discount.deleted', discount, { cause })
  }
}

/** The discounts of a subscription that count at a moment. */
export function activeDiscounts(
  { store }: Service,
  { discounts }: Pick<StoredSubscription, 'discounts'>,
  at: number,
): StoredDiscount[] {
  return discounts.flatMap((id) => {
    const discount = store.discounts.get(id)
    return discount && (discount.end === null || discount.end > at) ? [discount] : []
  })
}

/** A coupon that counts once has counted with the first invoice that it took something off. */
export function endUsedDiscounts(service: Service, invoice: StoredInvoice, cause: Cause): void {
  const { store } = service
  for (const { amount, discount: id } of invoice.total_discount_amounts ?? []) {
    const discount = store.discounts.get(String(id))
    const subscription = store.subscriptions.get(discount?.subscription)
    const coupon = store.coupons.get(discount?.source.coupon)
    if (amount === 0 || coupon?.duration !== 'once' || !subscription) continue
    store.subscriptions.put({
      ...subscription,
      discounts: subscription.discounts.filter((one) => one !== id),
    })
    endDiscounts(service, [String(id)], cause)
  }
}

export type DiscountAmount = { amount: number; discount: string }

/**
 * What each discount takes off each line. One after the other: a share of what the ones before have left of a
 * line. https://docs.stripe.com/billing/subscriptions/coupons
 */
export function discountAmounts(
  { store }: Service,
  lines: { amount: number; discountable: boolean }[],
  discounts: StoredDiscount[],
): DiscountAmount[][] {
  const taken = lines.map((): DiscountAmount[] => [])
  const left = lines.map(({ amount, discountable }) => (discountable ? Math.max(0, amount) : 0))
  for (const { id, source } of discounts) {
    const coupon = store.coupons.get(source.coupon)
    if (!coupon) continue
    for (const [index, rest] of left.entries()) {
      if (!lines[index]?.discountable) continue
      const amount = Math.round((rest * (coupon.percent_off ?? 0)) / 100)
      taken[index]?.push({ amount, discount: id })
      left[index] = rest - amount
    }
  }
  return taken
}

/** Discounts add up over the lines, in the order in which they apply. */
export function totalDiscounts(taken: DiscountAmount[][], discounts: StoredDiscount[]): DiscountAmount[] {
  return discounts.map(({ id }) => {
    const amounts = taken.flat().filter(({ discount }) => discount === id)
    return { amount: amounts.reduce((sum, { amount }) => sum + amount, 0), discount: id }
  })
}
