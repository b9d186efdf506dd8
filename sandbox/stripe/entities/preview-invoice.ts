import type { Service } from '../service.ts'
import type { StoredInvoice, StoredSubscription } from '../state.ts'
import { newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines, pendingItems, periodLines } from './invoice-line.ts'
import { prepareUpdate, type UpdateInput } from './prepare-update.ts'
import { nextTerm } from './renew-subscription.ts'
import { itemList, periodOf } from './subscription.ts'

/** The invoice that a change of a subscription causes: at once, or at its renewal. */
export function previewUpdate(
  service: Service,
  subscription: StoredSubscription,
  input: UpdateInput,
): StoredInvoice {
  const plan = prepareUpdate(service, subscription, input)
  if (plan.invoice) return asPreview(plan.invoice)
  const id = newInvoiceId()
  const { items, period } = nextTerm(service, plan.after)
  const lines = [
    ...itemLines(id, [...pendingItems(service, subscription), ...plan.prorations]),
    ...periodLines(service, {
      invoice: id,
      subscription: { ...plan.after, items: itemList(subscription.id, items) },
      period,
      is_trial: false,
    }),
  ]
  const draft = newInvoice(service, {
    id,
    billing_reason: 'upcoming',
    currency: subscription.currency,
    customer: subscription.customer,
    discounts: plan.discounts.filter(({ end }) => end === null || end > period.start),
    lines,
    period: periodOf(plan.after),
    proration_date: plan.prorations.length > 0 ? (input.proration_date ?? service.clock.now()) : null,
    subscription: plan.after,
  })
  return asPreview({ ...draft, next_payment_attempt: periodOf(plan.after).end })
}

function asPreview(draft: StoredInvoice): StoredInvoice {
  return { ...draft, id: draft.id.replace(/^in_/, 'upcoming_in_'), billing_reason: 'upcoming' }
}
