import { noCall, type Service } from '../service.ts'
import type { StoredSession } from '../state.ts'
import { changedFields, emit } from './event.ts'
import { defaultAddress, emptyAddress, type Payer } from './payment-method.ts'
import { includedTax, taxIdType } from './tax.ts'

/** What a buyer tells Checkout beside the payment, where the session asks for it. */
export type Buyer = Payer & {
  business?: { name: string; tax_id: string } | null
}

/**
 * Keeps what the buyer said, works out the tax in each line, and updates the customer as `customer_update`
 * says. https://docs.stripe.com/tax/checkout
 */
export function collectDetails(service: Service, session: StoredSession, buyer: Buyer): StoredSession {
  const { store } = service
  const details = store.checkout_details.get(session.id)
  const { automatic_tax, consent_collection, tax_id_collection } = session
  if (!details) throw new Error(`Session ${session.id} has no details.`)
  const consent = consent_collection?.terms_of_service
    ? ({ promotions: null, terms_of_service: 'accepted' } as const)
    : null
  if (!automatic_tax.enabled && !tax_id_collection?.enabled) {
    return consent ? store.checkout_sessions.put({ ...session, consent }) : session
  }
  const customer = store.customers.get(session.customer)
  const address = buyer.country
    ? { ...emptyAddress, country: buyer.country, postal_code: buyer.postal_code ?? null }
    : (customer?.address ?? defaultAddress)
  const known_tax_ids = buyer.business
    ? [{ type: taxIdType(address.country), value: buyer.business.tax_id }]
    : (customer?.known_tax_ids ?? [])
  const line_items = details.line_items.map((item) => ({
    ...item,
    amount_tax: automatic_tax.enabled ? includedTax(item.amount_total, { address, known_tax_ids }) : 0,
  }))
  store.checkout_details.put({ ...details, line_items })
  const { customer_update } = details
  if (customer && customer_update) {
    const name = buyer.business?.name ?? buyer.name ?? customer.name
    const after = store.customers.put({
      ...customer,
      ...(customer_update.address && { address }),
      ...(customer_update.name && name !== undefined && { name }),
      known_tax_ids,
    })
    const previous_attributes = changedFields(customer, after)
    emit(service, 'customer.updated', after, { cause: noCall, previous_attributes })
  }
  return store.checkout_sessions.put({
    ...session,
    automatic_tax: { ...automatic_tax, status: automatic_tax.enabled ? 'complete' : null },
    consent,
    customer_details: {
      address,
      business_name: buyer.business?.name ?? null,
      email: buyer.email,
      individual_name: null,
      name: buyer.name,
      phone: null,
      tax_exempt: 'none',
      tax_ids: known_tax_ids,
    },
    total_details: {
      amount_discount: session.total_details?.amount_discount ?? 0,
      amount_shipping: 0,
      amount_tax: line_items.reduce((sum, { amount_tax }) => sum + amount_tax, 0),
    },
  })
}
