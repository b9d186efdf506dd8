import type { StoredCustomer, StoredPaymentMethod } from '../entities.ts'
import { changedFields, emit } from '../objects/event.ts'
import type { Expiry } from '../objects/payment-method.ts'
import type { TestCard } from '../payments/test-cards.ts'
import { nobody, type World } from '../world.ts'
import { attachCard } from './subscribe.ts'
import { isOver } from './update-subscription.ts'

/** A customer gives another card: it pays from now on, for every subscription there is. */
export function changeCard(
  world: World,
  {
    customer,
    card,
    expiry,
    name,
  }: { customer: StoredCustomer; card: TestCard; expiry: Expiry; name: string | null },
): StoredPaymentMethod {
  const { store } = world
  const payer = { email: customer.email, name: name ?? customer.name ?? null }
  const method = attachCard(world, { card, expiry, payer, customer: customer.id })
  const after = store.customers.put({
    ...customer,
    invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id },
  })
  emit(world, 'customer.updated', after, {
    cause: nobody,
    previous_attributes: { invoice_settings: customer.invoice_settings },
  })
  for (const subscription of [...store.subscriptions.oldestFirst()]) {
    if (subscription.customer !== customer.id || isOver(subscription)) continue
    const changed = store.subscriptions.put({ ...subscription, default_payment_method: method.id })
    emit(world, 'customer.subscription.updated', changed, {
      cause: nobody,
      previous_attributes: changedFields(subscription, changed),
    })
  }
  return method
}
