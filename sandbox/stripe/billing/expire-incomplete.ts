import type { StoredSubscription } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { nobody, type World } from '../world.ts'
import { voidInvoice } from './void-invoice.ts'

/** A subscription whose first invoice nobody paid in time never began. */
export function expireIncomplete(world: World, subscription: StoredSubscription): void {
  const { store, clock } = world
  const expired = store.subscriptions.put({
    ...subscription,
    ended_at: clock.now(),
    status: 'incomplete_expired',
  })
  emit(world, 'customer.subscription.updated', expired, {
    cause: nobody,
    previous_attributes: { ended_at: null, status: 'incomplete' },
  })
  const invoice = store.invoices.get(subscription.latest_invoice ?? '')
  if (invoice?.status === 'open') voidInvoice(world, invoice, nobody)
}
