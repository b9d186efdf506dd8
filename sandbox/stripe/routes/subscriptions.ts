import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import { cancelSubscription } from '../entities/cancel-subscription.ts'
import { createSubscription } from '../entities/create-subscription.ts'
import { findCustomer } from '../entities/customer.ts'
import { readDiscounts } from '../entities/discount.ts'
import { disputeAtOnce } from '../entities/dispute.ts'
import { defaultPayment } from '../entities/invoice.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { checkMethod } from '../entities/payment-method.ts'
import { checkTogether, findPrice, hasEnded } from '../entities/subscription.ts'
import { releaseSchedule, scheduleChange, startSchedule } from '../entities/subscription-schedule.ts'
import { updateSubscription } from '../entities/update-subscription.ts'
import { existing, invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredSubscription } from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { flag, integer, text } from '../wire/params.ts'
import {
  cancelSubscriptionParams,
  createSubscriptionParams,
  type itemChange,
  subscriptionFilters,
  updateSubscriptionParams,
} from '../wire/subscription-params.ts'
import { resource } from './resource.ts'

const day_s = 24 * 60 * 60

export function subscriptionRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  resource(router, service, {
    path: '/v1/subscriptions',
    noun: 'subscription',
    table: store.subscriptions,
    filters: subscriptionFilters,
    where: {
      price: ({ items }, price) => items.data.some((item) => item.price.id === price),
      status: () => true,
    },
    isListed: (subscription, { status }) => hasStatus(subscription, status),
    changes: updateSubscriptionParams,
    update: (before, { params, cause }) => {
      if (params.default_payment_method) {
        checkMethod(service, { method: params.default_payment_method, customer: before.customer })
      }
      const { now } = service.clock
      if (typeof params.cancel_at === 'number' && params.cancel_at <= now()) {
        throw invalidRequest('`cancel_at` must be in the future.', { param: 'cancel_at' })
      }
      const { billing_cycle_anchor, metadata, trial_end, off_session, pause_collection, ...rest } = params
      return updateSubscription(service, before, {
        ...rest,
        cancellation_details: params.cancellation_details && defined(params.cancellation_details),
        cause,
        discounts:
          params.discounts && readDiscounts(service, params.discounts, { ...before, subscription: before }),
        ends_trial: trial_end === 'now',
        resets_anchor: billing_cycle_anchor?.type === 'now',
        trial_end: trial_end === 'now' ? undefined : trial_end,
        items: readItems(params.items ?? []),
        metadata: metadata === undefined ? undefined : mergeMetadata(before.metadata, metadata),
        is_on_session: off_session === false,
        pause_collection: pause_collection && { ...pause_collection, resumes_at: null },
        payment_behavior: params.payment_behavior ?? 'allow_incomplete',
        proration_behavior: params.proration_behavior ?? 'create_prorations',
        proration_date: params.proration_date ?? null,
      })
    },
  })

  call('POST /v1/subscriptions', createSubscriptionParams, ({ params, cause }) =>
    create(service, params, cause),
  )

  call('DELETE /v1/subscriptions/:id', cancelSubscriptionParams, ({ id, params, cause }) =>
    cancelSubscription(service, findSubscription(service, id), {
      cause,
      details: defined(params.cancellation_details ?? {}),
      invoice_now: false,
    }),
  )
}

function create(service: Service, params: Asked<typeof createSubscriptionParams>, cause: Cause) {
  const { store, clock } = service
  const customer = findCustomer(service, params.customer, 'customer')
  const currency = params.currency ?? store.prices.get(params.items[0]?.price)?.currency ?? ''
  const items = params.items.map(({ price, quantity, metadata }, index) => ({
    price: findPrice(service, { id: price, currency, param: `items[${index}]` }),
    quantity: quantity ?? 1,
    metadata: mergeMetadata(null, metadata),
  }))
  checkTogether(items)
  if (params.default_payment_method !== undefined) {
    checkMethod(service, { method: params.default_payment_method, customer: customer.id })
  }
  if (params.automatic_tax?.enabled && !customer.address?.country) {
    throw invalidRequest('The customer needs an address whose tax can be worked out.', {
      code: 'customer_tax_location_invalid',
    })
  }
  if (params.trial_end !== undefined && params.trial_end <= clock.now()) {
    throw invalidRequest('`trial_end` must be in the future.', { param: 'trial_end' })
  }
  const days = params.trial_period_days
  const { subscription, invoice } = createSubscription(service, {
    automatic_tax: params.automatic_tax?.enabled ?? false,
    cause,
    currency,
    customer,
    default_payment_method: params.default_payment_method ?? null,
    description: params.description ?? null,
    discounts: params.discounts ?? [],
    // The buyer is absent: a card that "attaches, and fails whenever it is charged" fails now. Source:
    // Stripe's test cards.
    is_off_session: true,
    items,
    metadata: mergeMetadata(null, params.metadata),
    takes_pending: true,
    trial_end: params.trial_end ?? (days === undefined ? null : clock.now() + days * day_s),
  })
  const payment = defaultPayment(service, invoice)
  const intent = service.store.payment_intents.get(payment?.payment.payment_intent)
  disputeAtOnce(service, intent?.latest_charge ?? null)
  return subscription
}

export function findSubscription({ store }: Service, id: string): StoredSubscription {
  const subscription = existing(store.subscriptions, 'subscription', id)
  return subscription
}

export function readItems(items: z.output<typeof itemChange>[]) {
  return items.map(({ metadata, ...item }) => ({
    ...item,
    metadata: metadata === undefined ? undefined : mergeMetadata(null, metadata),
  }))
}

/** Unless a status is asked for, canceled subscriptions are left out, as in Stripe's list. */
function hasStatus(subscription: StoredSubscription, status: string | undefined): boolean {
  if (status === 'all') return true
  if (status === 'ended') return hasEnded(subscription)
  return status === undefined ? subscription.status !== 'canceled' : subscription.status === status
}

const phase = z.strictObject({
  default_payment_method: text.optional(),
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
    const cards = phases.map(({ default_payment_method }) => default_payment_method ?? null)
    return scheduleChange(service, subscription, { items, cards, cause })
  })

  const releaseParams = { preserve_cancel_date: flag.optional() }
  call('POST /v1/subscription_schedules/:id/release', releaseParams, ({ id, cause }) => {
    releaseSchedule(service, findActive(id), cause)
    return find(id)
  })
}
