import type { StoredPhase, StoredSchedule, StoredSubscription, StoredSubscriptionItem } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { pricedBy } from '../objects/subscription-item.ts'
import { newPhase, newSchedule, type PhaseItem } from '../objects/subscription-schedule.ts'
import type { Cause, World } from '../world.ts'
import { periodOf } from './item-changes.ts'
import { nextBoundary, recurrenceOf } from './period.ts'

/** Puts a subscription under a schedule whose only phase, for now, is what it is. */
export function startSchedule(world: World, subscription: StoredSubscription, cause: Cause): StoredSchedule {
  const { store } = world
  const phases = [currentPhase(subscription)]
  const schedule = store.subscription_schedules.put(newSchedule(world, { subscription, phases }))
  const after = store.subscriptions.put({ ...subscription, schedule: schedule.id })
  emit(world, 'subscription_schedule.created', schedule, { cause })
  emit(world, 'customer.subscription.updated', after, { cause, previous_attributes: { schedule: null } })
  return schedule
}

/** What the subscription will consist of from its next period on. Until then nothing changes and nothing is billed. */
export function scheduleChange(
  world: World,
  subscription: StoredSubscription,
  { items, cause }: { items: PhaseItem[]; cause: Cause },
): StoredSchedule {
  const { store } = world
  const schedule =
    store.subscription_schedules.get(subscription.schedule ?? '') ?? startSchedule(world, subscription, cause)
  const { end } = periodOf(subscription)
  const price = store.prices.get(items[0]?.price ?? '')
  if (!price) throw new Error('A phase must have an item with a price.')
  const next = newPhase(subscription, {
    items,
    period: { start: end, end: nextBoundary(end, recurrenceOf(price), end) },
  })
  const after = store.subscription_schedules.put({ ...schedule, phases: [currentPhase(subscription), next] })
  const previous_attributes = { phases: schedule.phases }
  emit(world, 'subscription_schedule.updated', after, { cause, previous_attributes })
  return after
}

/** Lets the subscription go on as it is now, without its schedule. */
export function releaseSchedule(
  world: World,
  subscription: StoredSubscription,
  cause: Cause,
): StoredSubscription {
  const { store, clock } = world
  const schedule = store.subscription_schedules.get(subscription.schedule ?? '')
  if (!schedule) return subscription
  const released = store.subscription_schedules.put({
    ...schedule,
    current_phase: null,
    released_at: clock.now(),
    released_subscription: subscription.id,
    status: 'released',
    subscription: null,
  })
  const after = store.subscriptions.put({ ...subscription, schedule: null })
  emit(world, 'subscription_schedule.released', released, { cause })
  emit(world, 'customer.subscription.updated', after, {
    cause,
    previous_attributes: { schedule: schedule.id },
  })
  return after
}

/** The phase after the present one, if a change is waiting. */
export function plannedPhase({ store }: World, { schedule }: StoredSubscription): StoredPhase | null {
  return store.subscription_schedules.get(schedule ?? '')?.phases[1] ?? null
}

/** The items as the coming phase has them. The first keeps its id, so that it is the same seat count that changes. */
export function plannedItems(
  { store }: World,
  { items }: StoredSubscription,
  phase: StoredPhase,
): StoredSubscriptionItem[] {
  return items.data.flatMap((item, index) => {
    const planned = phase.items[index]
    const price = store.prices.get(planned?.price ?? '')
    return planned && price ? [{ ...item, ...pricedBy(price), quantity: planned.quantity }] : []
  })
}

function currentPhase(subscription: StoredSubscription): StoredPhase {
  return newPhase(subscription, {
    items: subscription.items.data.map(({ price, quantity }) => ({ price: price.id, quantity })),
    period: periodOf(subscription),
  })
}
