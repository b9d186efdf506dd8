import type { StoredInvoice, StoredSubscription } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { subscriptionOf } from '../objects/invoice.ts'
import type { Cause, World } from '../world.ts'

/** What a paid or unpaid invoice means for its subscription: it counts as active, or as past due. */
export function followPayment(world: World, invoice: StoredInvoice, { cause }: { cause: Cause }): void {
  const { store } = world
  const subscription = store.subscriptions.get(subscriptionOf(invoice))
  if (!subscription) return
  const status = statusAfter(subscription, invoice)
  if (status === subscription.status) return
  const after = store.subscriptions.put({ ...subscription, status })
  emit(world, 'customer.subscription.updated', after, {
    cause,
    previous_attributes: { status: subscription.status },
  })
}

function statusAfter(
  { status, latest_invoice }: StoredSubscription,
  invoice: StoredInvoice,
): StoredSubscription['status'] {
  // Only the newest invoice speaks for the subscription; an old debt changes nothing, paid late or not at all.
  if (invoice.id !== latest_invoice) return status
  if (invoice.status !== 'paid') return status === 'active' ? 'past_due' : status
  return status === 'past_due' || status === 'incomplete' ? 'active' : status
}
