import { randomText } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredCoupon } from '../state.ts'

export type CouponInput = {
  id?: string | undefined
  duration: 'forever' | 'once' | 'repeating'
  duration_in_months?: number | undefined
  percent_off: number
}

/** A share that is taken off invoices for a while. https://docs.stripe.com/api/coupons */
export function newCoupon({ clock, livemode }: Service, input: CouponInput): StoredCoupon {
  return {
    id: input.id ?? randomText(8),
    object: 'coupon',
    amount_off: null,
    created: clock.now(),
    currency: null,
    duration: input.duration,
    duration_in_months: input.duration_in_months ?? null,
    livemode,
    max_redemptions: null,
    metadata: {},
    name: null,
    percent_off: input.percent_off,
    redeem_by: null,
    times_redeemed: 0,
    valid: true,
  }
}
