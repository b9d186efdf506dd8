import type { Router } from '@koa/router'
import { z } from 'zod'
import { hasEnded } from '../entities/subscription.ts'
import { findPrice } from '../entities/subscription-item.ts'
import { releaseSchedule, scheduleChange, startSchedule } from '../entities/subscription-schedule.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { flag, integer, text } from '../wire/params.ts'
import { resource } from './resource.ts'
import { findSubscription } from './subscriptions.ts'

const phase = z.strictObject({
  end_date: integer.optional(),
  items: z
    .array(z.strictObject({ price: text, quantity: integer.optional() }))
    .length(1, 'The sandbox schedules subscriptions with one item'),
  proration_behavior: z.literal('none', 'The sandbox schedules changes at the end of a period').optional(),
  start_date: integer.optional(),
})
const updateParams = {
  end_behavior: z.literal('release', 'The sandbox releases every schedule at its end').optional(),
  phases: z.array(phase).length(2, 'The sandbox takes the current phase and the next one'),
  proration_behavior: z.literal('none', 'The sandbox schedules changes at the end of a period').optional(),
}

/** As much of schedules as a change at the end of the period takes. */
export function subscriptionScheduleRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

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

  call('POST /v1/subscription_schedules', { from_subscription: text }, ({ params, cause }) => {
    const subscription = findSubscription(service, params.from_subscription)
    if (hasEnded(subscription) || subscription.schedule !== null || subscription.cancel_at !== null) {
      throw invalidRequest(
        `You cannot migrate the subscription ${subscription.id}: it is over, about to be canceled, or attached to a schedule.`,
        { param: 'from_subscription' },
      )
    }
    return startSchedule(service, subscription, cause)
  })

  call('POST /v1/subscription_schedules/:id', updateParams, ({ id, params: { phases }, cause }) => {
    const subscription = findActive(id)
    const { currency } = subscription
    const items = (phases[1]?.items ?? []).map(({ price, quantity = 1 }) => ({
      price: findPrice(service, { id: price, currency, param: 'phases[1][items][0]' }).id,
      quantity,
    }))
    return scheduleChange(service, subscription, { items, cause })
  })

  const releaseParams = { preserve_cancel_date: flag.optional() }
  call('POST /v1/subscription_schedules/:id/release', releaseParams, ({ id, cause }) => {
    releaseSchedule(service, findActive(id), cause)
    return find(id)
  })
}
