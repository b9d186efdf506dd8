import { newId, randomText } from '../../kit/id.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredCustomer, StoredPaymentMethod, StoredSubscription } from '../state.ts'
import { changedFields, emit } from './event.ts'
import { attachCard, type Expiry } from './payment-method.ts'
import { asPublished } from './published.ts'
import { hasEnded } from './subscription.ts'
import type { TestCard } from './test-cards.ts'

type CustomerInput = Pick<StoredCustomer, 'metadata'> & Partial<StoredCustomer>

export function newCustomer({ clock, livemode }: Service, input: CustomerInput): StoredCustomer {
  return asPublished<StoredCustomer>({
    id: newId('cus', 14),
    object: 'customer',
    balance: 0,
    created: clock.now(),
    customer_account: null,
    delinquent: false,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode,
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
    ...input,
  })
}

/** The customer whom a call names. Nothing can be done any more with one who was deleted. */
export function findCustomer({ store }: Service, id: string, param?: string): StoredCustomer {
  const customer = store.customers.get(id)
  if (!customer || customer.deleted) throw noSuch('customer', id, param)
  return customer
}

/**
 * Customers have subscriptions in one currency at a time, and invoice items wait for one of that currency.
 * Single payments and invoices may be in any:
 * https://docs.stripe.com/invoicing/multi-currency-customers. The words are those of the real answer.
 */
export function checkCurrency({ store }: Service, customer: string, currency: string): void {
  const bound =
    store.subscriptions.find((one) => one.customer === customer && !hasEnded(one)) ??
    store.invoice_items.find((item) => item.customer === customer && item.invoice === null)
  if (!bound || bound.currency === currency) return
  throw invalidRequest(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${bound.currency}.`,
  )
}

/** What Stripe charges without the customer present: the subscription's own method, else the customer's. */
export function defaultMethod(
  { store }: Service,
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
    const method = store.payment_methods.get(id)
    // A detached method has no customer and cannot be charged.
    if (method?.customer) return method
  }
  return null
}

interface GivenCard {
  readonly customer: StoredCustomer
  readonly card: TestCard
  readonly expiry: Expiry
  readonly name: string | null
}

/**
 * A customer gives another card in the portal: it becomes their default. A subscription that has a card of
 * its own goes on with that: https://docs.stripe.com/customer-management/portal-deep-links
 */
export function changeDefaultCard(
  service: Service,
  { customer, card, expiry, name }: GivenCard,
): StoredPaymentMethod {
  const { store } = service
  const payer = { email: customer.email, name: name ?? customer.name ?? null }
  const method = attachCard(service, { card, expiry, payer, customer: customer.id, is_saved: true })
  const after = store.customers.put({
    ...customer,
    invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id },
  })
  emit(service, 'customer.updated', after, {
    cause: noCall,
    previous_attributes: changedFields(customer, after),
  })
  return method
}
