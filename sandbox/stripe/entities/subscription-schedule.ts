import { newId } from '../../kit/id.ts'
import type { Cause, Service } from '../service.ts'
import type {
  EmbeddedPrice,
  StoredPhase,
  StoredSchedule,
  StoredSubscription,
  StoredSubscriptionItem,
} from '../state.ts'
import { emit } from './event.ts'
import { isSameRecurrence, nextBoundary, type Period, recurrenceOf } from './period.ts'
import { periodOf, pricedBy } from './subscription.ts'

export type PhaseItem = { price: string; quantity: number }
type PhaseInput = { items: PhaseItem[]; period: Period; default_payment_method?: string | null }

function newSchedule(
  { clock, livemode }: Service,
  { subscription, phases }: { subscription: StoredSubscription; phases: StoredPhase[] },
): StoredSchedule {
  return {
    ...newScheduleFields,
    id: newId('sub_sched'),
    billing_mode: subscription.billing_mode,
    created: clock.now(),
    current_phase: datesOf(phases[0]),
    customer: subscription.customer,
    livemode,
    phases,
    subscription: subscription.id,
  } as StoredSchedule
}

/** What a schedule says that is no different from one to another. */
const newScheduleFields = {
  object: 'subscription_schedule',
  canceled_at: null,
  completed_at: null,
  default_settings: {
    billing_cycle_anchor: 'automatic',
    collection_method: 'charge_automatically',
    default_payment_method: null,
  },
  end_behavior: 'release',
  metadata: {},
  released_at: null,
  released_subscription: null,
  status: 'active',
}

function datesOf(phase: StoredPhase | undefined): StoredSchedule['current_phase'] {
  return phase ? { end_date: phase.end_date, start_date: phase.start_date } : null
}

function newPhase(
  { currency, default_payment_method }: StoredSubscription,
  { items, period, ...card }: PhaseInput,
): StoredPhase {
  return {
    currency,
    // What `from_subscription` copies is not documented: this is the case that costs a customer most.
    default_payment_method,
    ...card,
    discounts: [] as StoredPhase['discounts'],
    end_date: period.end,
    items: items.map(({ price, quantity }) => ({
      discounts: [],
      metadata: {},
      plan: price,
      price,
      quantity,
    })),
    metadata: {},
    proration_behavior: 'none',
    start_date: period.start,
    trial_end: null,
  } as unknown as StoredPhase
}

/** Creates a schedule whose only phase is the present state. */
export function startSchedule(
  service: Service,
  subscription: StoredSubscription,
  cause: Cause,
): StoredSchedule {
  const { store } = service
  const phases = [currentPhase(subscription)]
  const schedule = store.subscription_schedules.put(newSchedule(service, { subscription, phases }))
  const after = store.subscriptions.put({ ...subscription, schedule: schedule.id })
  emit(service, 'subscription_schedule.created', schedule, { cause })
  emit(service, 'customer.subscription.updated', after, { cause, previous_attributes: { schedule: null } })
  return schedule
}

/** Schedules the items of the next period. Until then nothing changes and nothing is billed. */
export function scheduleChange(
  service: Service,
  subscription: StoredSubscription,
  {
    items,
    cards: [now, then] = [],
    cause,
  }: {
    items: PhaseItem[]
    /** Of each phase, as a call names them; null where it names none: a phase is replaced as a whole. */
    cards?: (string | null)[]
    cause: Cause
  },
): StoredSchedule {
  const { store } = service
  const schedule =
    store.subscription_schedules.get(subscription.schedule) ?? startSchedule(service, subscription, cause)
  const price = store.prices.get(items[0]?.price)
  if (!price) throw new Error('A phase must have an item with a price.')
  const { period } = periodAfter(subscription, price)
  const phases = [
    { ...currentPhase(subscription), ...(now !== undefined && { default_payment_method: now }) },
    newPhase(subscription, { items, period, ...(then !== undefined && { default_payment_method: then }) }),
  ]
  return putPhases(service, schedule, { phases, current: 0, cause })
}

/** The period after the present one, at a price. Another interval counts from where it begins. */
export function periodAfter(
  subscription: StoredSubscription,
  price: EmbeddedPrice,
): { period: Period; billing_cycle_anchor: number } {
  const { end } = periodOf(subscription)
  const [before] = subscription.items.data
  if (!before) throw new Error(`Subscription ${subscription.id} has no items.`)
  const recurrence = recurrenceOf(price)
  const is_same = isSameRecurrence(recurrence, recurrenceOf(before.price))
  const billing_cycle_anchor = is_same ? subscription.billing_cycle_anchor : end
  return {
    billing_cycle_anchor,
    period: { start: end, end: nextBoundary(billing_cycle_anchor, recurrence, end) },
  }
}

/**
 * A period has begun: the next phase does too, or the last one has ended. "A subscription schedule is
 * completed after the last phase is finished. When this happens, the subscription is released from the
 * schedule" (https://docs.stripe.com/billing/subscriptions/subscription-schedules), so it has its schedule
 * for one more period after the change.
 */
export function advanceSchedule(
  service: Service,
  subscription: StoredSubscription,
  cause: Cause,
): StoredSubscription {
  const schedule = service.store.subscription_schedules.get(subscription.schedule)
  if (!schedule) return subscription
  const next = nextPhase(service, subscription)
  if (!next) return endSchedule(service, subscription, { as: 'completed', cause })
  const current = schedule.phases.findIndex(({ start_date }) => start_date === next.start_date)
  // A knob may have ended the period early: the phases have the dates of what really happened.
  const { start, end } = periodOf(subscription)
  const phases = schedule.phases.map((phase, index) => ({
    ...phase,
    ...(index === current && { start_date: start, end_date: end }),
    ...(index === current - 1 && { end_date: start }),
  }))
  putPhases(service, schedule, { phases, current, cause })
  // Whether a phase without a card takes the subscription's own away is not documented: here it stays
  // (https://docs.stripe.com/api/subscription_schedules/object#subscription_schedule_object-phases-default_payment_method).
  return service.store.subscriptions.put({
    ...subscription,
    default_payment_method: next.default_payment_method ?? subscription.default_payment_method,
  })
}

function putPhases(
  service: Service,
  schedule: StoredSchedule,
  { phases, current, cause }: { phases: StoredPhase[]; current: number; cause: Cause },
): StoredSchedule {
  const after = service.store.subscription_schedules.put({
    ...schedule,
    current_phase: datesOf(phases[current]),
    phases,
  })
  const previous_attributes = { current_phase: schedule.current_phase, phases: schedule.phases }
  emit(service, 'subscription_schedule.updated', after, { cause, previous_attributes })
  return after
}

/** Lets the subscription go on as it is now, without its schedule. */
export function releaseSchedule(
  service: Service,
  subscription: StoredSubscription,
  cause: Cause,
): StoredSubscription {
  return endSchedule(service, subscription, { as: 'released', cause })
}

function endSchedule(
  service: Service,
  subscription: StoredSubscription,
  { as, cause }: { as: 'completed' | 'released'; cause: Cause },
): StoredSubscription {
  const { store, clock } = service
  const schedule = store.subscription_schedules.get(subscription.schedule)
  if (!schedule) return subscription
  const ended = store.subscription_schedules.put({
    ...schedule,
    [`${as}_at`]: clock.now(),
    current_phase: null,
    released_subscription: subscription.id,
    status: as,
    subscription: null,
  })
  const after = store.subscriptions.put({ ...subscription, schedule: null })
  emit(service, `subscription_schedule.${as}`, ended, { cause })
  emit(service, 'customer.subscription.updated', after, {
    cause,
    previous_attributes: { schedule: schedule.id },
  })
  return after
}

/** The phase after the present one, if a change is waiting. */
export function nextPhase({ store }: Service, { schedule }: StoredSubscription): StoredPhase | null {
  const found = store.subscription_schedules.get(schedule)
  const until = found?.current_phase?.end_date
  return found?.phases.find(({ start_date }) => until !== undefined && start_date >= until) ?? null
}

/** The items of the coming phase. The first keeps its id, so that its quantity changes. */
export function itemsInPhase(
  { store }: Service,
  { items }: StoredSubscription,
  phase: StoredPhase,
): StoredSubscriptionItem[] {
  return items.data.flatMap((item, index) => {
    const planned = phase.items[index]
    const price = store.prices.get(planned?.price)
    return planned && price ? [{ ...item, ...pricedBy(price), quantity: planned.quantity }] : []
  })
}

function currentPhase(subscription: StoredSubscription): StoredPhase {
  return newPhase(subscription, {
    items: subscription.items.data.map(({ price, quantity }) => ({ price: price.id, quantity })),
    period: periodOf(subscription),
  })
}
