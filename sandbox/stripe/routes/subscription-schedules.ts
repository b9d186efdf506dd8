import type { Router } from '@koa/router'
import { z } from 'zod'
import { isOver } from '../entities/subscription.ts'
import { findPrice } from '../entities/subscription-item.ts'
import { releaseSchedule, scheduleChange, startSchedule } from '../entities/subscription-schedule.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredSchedule } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { common, flag, integer, pagination, readParams, text } from '../wire/params.ts'
import { findSubscription } from './subscriptions.ts'

const createParams = z.strictObject({ ...common, from_subscription: text })
const phase = z.strictObject({
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
const listParams = z.strictObject({ ...pagination, customer: text.optional() })
const releaseParams = z.strictObject({ ...common, preserve_cancel_date: flag.optional() })

/** As much of schedules as a change at the end of the period takes. */
export function subscriptionScheduleRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredSchedule => {
    const schedule = store.subscription_schedules.get(id)
    if (!schedule) throw noSuch('subscription_schedule', id)
    return schedule
  }

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
      if (isOver(subscription) || subscription.schedule !== null || subscription.cancel_at !== null) {
        throw invalidRequest(
          `You cannot migrate the subscription ${subscription.id}: it is over, about to be canceled, or attached to a schedule.`,
          { param: 'from_subscription' },
        )
      }
      return startSchedule(service, subscription, cause)
    }),
  )

  router.get(
    '/v1/subscription_schedules',
    handle(service, ({ form }) => {
      const { customer, ...cursor } = readParams(listParams, form)
      return listPage(store.subscription_schedules, cursor, {
        url: '/v1/subscription_schedules',
        noun: 'subscription_schedule',
        matches: (one) => customer === undefined || one.customer === customer,
      })
    }),
  )

  router.get(
    '/v1/subscription_schedules/:id',
    handle(service, ({ path }) => find(path('id'))),
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
      return scheduleChange(service, subscription, { items, cause })
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
