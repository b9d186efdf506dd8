import type { StoredInvoice, StoredSubscription } from '../entities.ts'
import { newInvoice, newInvoiceId } from '../objects/invoice.ts'
import { itemList } from '../objects/subscription.ts'
import type { World } from '../world.ts'
import { itemLines, pendingItems, periodLines } from './invoice-lines.ts'
import { periodOf } from './item-changes.ts'
import { planUpdate, type UpdateInput } from './plan-update.ts'
import { nextTerm } from './renew-subscription.ts'

/** What a subscription would be invoiced after a change: at once where the change asks for that, else at its renewal. */
export function previewUpdate(
  world: World,
  subscription: StoredSubscription,
  input: UpdateInput,
): StoredInvoice {
  const plan = planUpdate(world, subscription, input)
  if (plan.invoice) return asPreview(plan.invoice)
  const customer = world.store.customers.get(subscription.customer)
  if (!customer) throw new Error(`Customer ${subscription.customer} is gone.`)
  const id = newInvoiceId()
  const { items, period } = nextTerm(world, plan.after)
  const lines = [
    ...itemLines(id, [...pendingItems(world, subscription.id), ...plan.prorations]),
    ...periodLines(world, {
      invoice: id,
      subscription: { ...plan.after, items: itemList(subscription.id, items) },
      period,
      is_trial: false,
    }),
  ]
  const draft = newInvoice(world, {
    id,
    billing_reason: 'upcoming',
    customer,
    lines,
    period: periodOf(plan.after),
    proration_date: plan.prorations.length > 0 ? (input.proration_date ?? world.clock.now()) : null,
    subscription: plan.after,
  })
  return asPreview({ ...draft, next_payment_attempt: periodOf(plan.after).end })
}

/** A preview is an invoice that nobody can fetch again. */
export function asPreview(draft: StoredInvoice): StoredInvoice {
  return { ...draft, id: draft.id.replace(/^in_/, 'upcoming_in_'), billing_reason: 'upcoming' }
}
