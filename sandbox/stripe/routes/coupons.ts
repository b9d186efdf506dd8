import type { Router } from '@koa/router'
import { z } from 'zod'
import { randomText } from '../../kit/id.ts'
import { emit } from '../entities/event.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { integer, text } from '../wire/params.ts'

const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'Invalid decimal')
  .transform(Number)
  .refine((value) => value > 0 && value <= 100, 'Invalid percentage: it must be above 0 and at most 100')

/** Coupons that take a share off invoices for a while; those that take a sum are not needed here and are refused. */
const createParams = {
  id: text.max(200).optional(),
  duration: z.enum(['forever', 'once', 'repeating']).default('once'),
  duration_in_months: integer.refine((value) => value >= 1, 'Invalid positive integer').optional(),
  percent_off: percent,
}

/** https://docs.stripe.com/api/coupons */
export function couponRoutes(router: Router, service: Service): void {
  const { clock, livemode, store } = service
  callsOf(router, service)('POST /v1/coupons', createParams, ({ params: input, cause }) => {
    if ((input.duration === 'repeating') !== (input.duration_in_months !== undefined)) {
      throw invalidRequest('You must pass `duration_in_months` if `duration` is repeating, and only then.', {
        param: 'duration_in_months',
      })
    }
    if (store.coupons.get(input.id)) {
      throw invalidRequest('Coupon already exists.', { code: 'resource_already_exists', param: 'id' })
    }
    const coupon = store.coupons.put({
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
    })
    emit(service, 'coupon.created', coupon, { cause })
    return coupon
  })
}
