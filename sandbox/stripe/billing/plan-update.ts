import type { StoredInvoice, StoredInvoiceItem, StoredSubscription } from '../entities.ts'
import { newInvoice, newInvoiceId } from '../objects/invoice.ts'
import { itemList } from '../objects/subscription.ts'
import type { Period } from '../objects/subscription-item.ts'
import type { World } from '../world.ts'
import { itemLines, pendingItems, periodLines } from './invoice-lines.ts'
import { changedItems, type ItemChange, periodOf, withPeriod } from './item-changes.ts'
import { isSameRecurrence, nextBoundary, recurrenceOf } from './period.ts'
import { prorations } from './proration.ts'

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none'

export type UpdateInput = {
  items: ItemChange[]
  ends_trial: boolean
  proration_behavior: ProrationBehavior
  /** From when on the change counts for the money; now, unless the caller showed a preview of another moment. */
  proration_date: number | null
}

/** What follows from a change, before anything of it is done. */
export type UpdatePlan = {
  after: StoredSubscription
  prorations: StoredInvoiceItem[]
  /** What has to be invoiced at once; null when it can wait for the end of the period. */
  invoice: StoredInvoice | null
}

/** Decides and changes nothing: a preview and the update itself come to the same figures because both ask here. */
export function planUpdate(world: World, before: StoredSubscription, input: UpdateInput): UpdatePlan {
  const now = world.clock.now()
  const items = changedItems(world, before, input.items)
  const ends_trial = input.ends_trial && before.status === 'trialing'
  const restarts = ends_trial || (before.status !== 'trialing' && hasOtherInterval(before, items))
  const period = restarts ? firstPeriod(items, now) : periodOf(before)
  const after: StoredSubscription = {
    ...before,
    ...(restarts && { billing_cycle_anchor: now }),
    // What is changed now takes the place of what was planned for later.
    ...(input.items.length > 0 && { schedule: null }),
    ...(ends_trial && { status: 'active', trial_end: now }),
    ...(before.cancel_at_period_end && { cancel_at: period.end }),
    items: itemList(before.id, withPeriod(items, period)),
  }
  // A trial has cost nothing, so there is nothing to give back.
  const is_prorated = input.proration_behavior !== 'none' && before.status !== 'trialing'
  const at = input.proration_date ?? now
  const items_due = is_prorated ? prorations(world, { before, after, at, restarts }) : []
  const is_due_now = restarts || (input.proration_behavior === 'always_invoice' && items_due.length > 0)
  return {
    after,
    prorations: items_due,
    invoice: is_due_now ? updateInvoice(world, { after, items_due, restarts, period, at }) : null,
  }
}

function updateInvoice(
  world: World,
  {
    after,
    items_due,
    restarts,
    period,
    at,
  }: {
    after: StoredSubscription
    items_due: StoredInvoiceItem[]
    restarts: boolean
    period: Period
    at: number
  },
): StoredInvoice {
  const customer = world.store.customers.get(after.customer)
  if (!customer) throw new Error(`Customer ${after.customer} is gone.`)
  const id = newInvoiceId()
  const now = world.clock.now()
  return newInvoice(world, {
    id,
    billing_reason: 'subscription_update',
    customer,
    lines: [
      ...itemLines(id, [...pendingItems(world, after.id), ...items_due]),
      ...(restarts ? periodLines(world, { invoice: id, subscription: after, period, is_trial: false }) : []),
    ],
    period: { start: now, end: now },
    proration_date: items_due.length > 0 ? at : null,
    subscription: after,
  })
}

function hasOtherInterval(before: StoredSubscription, items: StoredSubscription['items']['data']): boolean {
  const [old] = before.items.data
  const [next] = items
  return !!old && !!next && !isSameRecurrence(recurrenceOf(old.price), recurrenceOf(next.price))
}

function firstPeriod([item]: StoredSubscription['items']['data'], now: number): Period {
  if (!item) throw new Error('A subscription without items has no period.')
  return { start: now, end: nextBoundary(now, recurrenceOf(item.price), now) }
}
