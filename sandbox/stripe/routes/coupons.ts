import type { Router } from '@koa/router'
import { z } from 'zod'
import { newCoupon } from '../entities/coupon.ts'
import { changedFields, emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCoupon } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import {
  common,
  currency,
  integer,
  isWithin,
  metadata,
  pagination,
  range,
  readParams,
  text,
} from '../wire/params.ts'

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
const listParams = z.strictObject({ ...pagination, created: range.optional() })

/** https://docs.stripe.com/api/coupons */
export function couponRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredCoupon => {
    const coupon = store.coupons.get(id)
    if (!coupon) throw noSuch('coupon', id)
    return coupon
  }

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

  router.get(
    '/v1/coupons',
    handle(service, ({ form }) => {
      const { created, ...cursor } = readParams(listParams, form)
      return listPage(store.coupons, cursor, {
        url: '/v1/coupons',
        noun: 'coupon',
        matches: (coupon) => isWithin(coupon.created, created),
      })
    }),
  )

  router.get(
    '/v1/coupons/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/coupons/:id',
    handle(service, ({ form, path, cause }) => {
      const { metadata, name } = readParams(updateParams, form)
      const before = find(path('id'))
      const after = store.coupons.put({
        ...before,
        metadata: mergeMetadata(before.metadata, metadata),
        name: name ?? before.name,
      })
      emit(service, 'coupon.updated', after, { cause, previous_attributes: changedFields(before, after) })
      return after
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
