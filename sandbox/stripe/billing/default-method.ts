import type { StoredCustomer, StoredPaymentMethod, StoredSubscription } from '../entities.ts'
import type { World } from '../world.ts'

/** What Stripe charges when nobody is asked: the subscription's own method, else the customer's. */
export function defaultMethod(
  { store }: World,
  {
    subscription,
    customer,
  }: {
    subscription: Pick<StoredSubscription, 'default_payment_method'> | null
    customer: StoredCustomer | undefined
  },
): StoredPaymentMethod | null {
  const candidates = [
    subscription?.default_payment_method,
    customer?.invoice_settings.default_payment_method as string | null | undefined,
  ]
  for (const id of candidates) {
    const method = store.payment_methods.get(id ?? '')
    // A detached method belongs to nobody and cannot be charged.
    if (method?.customer) return method
  }
  return null
}
