import type { Router } from '@koa/router'
import { z } from 'zod'
import { newCoupon } from '../entities/coupon.ts'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { common, currency, integer, metadata, range, readParams, text } from '../wire/params.ts'
import { putUpdated, resource } from './resource.ts'

const positive = integer.refine((value) => value >= 1, 'Invalid positive integer')
const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'Invalid decimal')
  .transform(Number)
  .refine((value) => value > 0 && value <= 100, 'Invalid percentage: it must be above 0 and at most 100')

const createParams = z.strictObject({
  ...common,
  id: text.max(200).optional(),
  amount_off: positive.optional(),
  currency: currency.optional(),
  duration: z.enum(['forever', 'once', 'repeating']).default('once'),
  duration_in_months: positive.optional(),
  max_redemptions: positive.optional(),
  metadata: metadata.optional(),
  name: text.max(40).optional(),
  percent_off: percent.optional(),
  redeem_by: integer.optional(),
})
const updateParams = z.strictObject({
  ...common,
  metadata: metadata.optional(),
  name: text.max(40).optional(),
})

/** https://docs.stripe.com/api/coupons */
export function couponRoutes(router: Router, service: Service): void {
  const { store } = service

  resource(router, service, {
    path: '/v1/coupons',
    noun: 'coupon',
    table: store.coupons,
    filters: { created: range.optional() },
    update: (before, { form, cause }) => {
      const { metadata, name } = readParams(updateParams, form)
      const changes = { name }
      return putUpdated(service, store.coupons, { before, changes, metadata, event: 'coupon.updated', cause })
    },
  })

  router.post(
    '/v1/coupons',
    handle(service, ({ form, cause }) => {
      const { expand: _, metadata, ...input } = readParams(createParams, form)
      checkCoupon(input)
      if (store.coupons.get(input.id)) {
        throw invalidRequest('Coupon already exists.', { code: 'resource_already_exists', param: 'id' })
      }
      const coupon = store.coupons.put(
        newCoupon(service, { ...input, metadata: mergeMetadata(null, metadata) }),
      )
      emit(service, 'coupon.created', coupon, { cause })
      return coupon
    }),
  )
}

function checkCoupon({
  amount_off,
  currency,
  duration,
  duration_in_months,
  percent_off,
}: Omit<z.output<typeof createParams>, 'metadata'>): void {
  if ((amount_off === undefined) === (percent_off === undefined)) {
    throw invalidRequest('You must pass either `percent_off` or `amount_off`, and not both.')
  }
  if ((amount_off === undefined) !== (currency === undefined)) {
    throw invalidRequest('You must pass `currency` with `amount_off`, and only then.', { param: 'currency' })
  }
  if ((duration === 'repeating') !== (duration_in_months !== undefined)) {
    throw invalidRequest('You must pass `duration_in_months` if `duration` is repeating, and only then.', {
      param: 'duration_in_months',
    })
  }
}
