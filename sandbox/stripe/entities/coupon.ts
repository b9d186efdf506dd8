import { randomText } from '../../kit/id.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCoupon } from '../state.ts'

export type CouponInput = {
  id?: string | undefined
  amount_off?: number | undefined
  currency?: string | undefined
  duration: 'forever' | 'once' | 'repeating'
  duration_in_months?: number | undefined
  max_redemptions?: number | undefined
  metadata: Record<string, string>
  name?: string | undefined
  percent_off?: number | undefined
  redeem_by?: number | undefined
}

/** A share, or a sum, that is taken off invoices for a while. https://docs.stripe.com/api/coupons */
export function newCoupon({ clock, livemode }: Service, input: CouponInput): StoredCoupon {
  return {
    id: input.id ?? randomText(8),
    object: 'coupon',
    amount_off: input.amount_off ?? null,
    created: clock.now(),
    currency: input.currency ?? null,
    duration: input.duration,
    duration_in_months: input.duration_in_months ?? null,
    livemode,
    max_redemptions: input.max_redemptions ?? null,
    metadata: input.metadata,
    name: input.name ?? null,
    percent_off: input.percent_off ?? null,
    redeem_by: input.redeem_by ?? null,
    times_redeemed: 0,
    valid: true,
  }
}

/** The coupon that a call names, if it can be redeemed now for something in this currency. */
export function findRedeemable(
  { store, clock }: Service,
  { id, currency, param }: { id: string; currency: string; param: string },
): StoredCoupon {
  const coupon = store.coupons.get(id)
  if (!coupon) throw noSuch('coupon', id, param)
  const is_late = coupon.redeem_by !== null && coupon.redeem_by <= clock.now()
  if (!coupon.valid || is_late) {
    throw invalidRequest(`Coupon ${id} is expired and cannot be applied.`, { code: 'coupon_expired', param })
  }
  if (coupon.currency !== null && coupon.currency !== currency) {
    throw invalidRequest(
      `The coupon ${id} is in ${coupon.currency} and cannot be applied to something in ${currency}.`,
      { param },
    )
  }
  return coupon
}
