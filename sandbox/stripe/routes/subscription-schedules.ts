import type { Router } from '@koa/router'
import { z } from 'zod'
import { hasEnded } from '../entities/subscription.ts'
import { findPrice } from '../entities/subscription-item.ts'
import { releaseSchedule, scheduleChange, startSchedule } from '../entities/subscription-schedule.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { common, flag, integer, readParams, text } from '../wire/params.ts'
import { resource } from './resource.ts'
import { findSubscription } from './subscriptions.ts'

const createParams = z.strictObject({ ...common, from_subscription: text })
const phase = z.strictObject({
  default_payment_method: text.optional(),
  end_date: integer.optional(),
  items: z
    .array(z.strictObject({ price: text, quantity: integer.optional() }))
    .length(1, 'The sandbox schedules subscriptions with one item'),
  proration_behavior: z.literal('none', 'The sandbox schedules changes at the end of a period').optional(),
  start_date: integer.optional(),
})
const updateParams = z.strictObject({
  ...common,
  end_behavior: z.literal('release', 'The sandbox releases every schedule at its end').optional(),
  phases: z.array(phase).length(2, 'The sandbox takes the current phase and the next one'),
  proration_behavior: z.literal('none', 'The sandbox schedules changes at the end of a period').optional(),
})
const releaseParams = z.strictObject({ ...common, preserve_cancel_date: flag.optional() })

/** As much of schedules as a change at the end of the period takes. */
export function subscriptionScheduleRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = resource(router, service, {
    path: '/v1/subscription_schedules',
    noun: 'subscription_schedule',
    table: store.subscription_schedules,
    filters: { customer: text.optional() },
  })

  const findActive = (id: string) => {
    const { status, subscription } = find(id)
    if (status !== 'active' || subscription === null) {
      throw invalidRequest(`You cannot change a subscription schedule that is ${status}.`)
    }
    return findSubscription(service, subscription)
  }

  router.post(
    '/v1/subscription_schedules',
    handle(service, ({ form, cause }) => {
      const { from_subscription } = readParams(createParams, form)
      const subscription = findSubscription(service, from_subscription)
      if (hasEnded(subscription) || subscription.schedule !== null || subscription.cancel_at !== null) {
        throw invalidRequest(
          `You cannot migrate the subscription ${subscription.id}: it is over, about to be canceled, or attached to a schedule.`,
          { param: 'from_subscription' },
        )
      }
      return startSchedule(service, subscription, cause)
    }),
  )

  router.post(
    '/v1/subscription_schedules/:id',
    handle(service, ({ form, path, cause }) => {
      const { phases } = readParams(updateParams, form)
      const subscription = findActive(path('id'))
      const items = (phases[1]?.items ?? []).map(({ price, quantity = 1 }) => {
        const { currency } = subscription
        return {
          price: findPrice(service, { id: price, currency, param: 'phases[1][items][0]' }).id,
          quantity,
        }
      })
      const cards = phases.map(({ default_payment_method }) => default_payment_method ?? null)
      return scheduleChange(service, subscription, { items, cards, cause })
    }),
  )

  router.post(
    '/v1/subscription_schedules/:id/release',
    handle(service, ({ form, path, cause }) => {
      readParams(releaseParams, form)
      releaseSchedule(service, findActive(path('id')), cause)
      return find(path('id'))
    }),
  )
}
