import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type {
  StoredCustomer,
  StoredDiscount,
  StoredInvoice,
  StoredPaymentIntent,
  StoredPaymentMethod,
  StoredPrice,
  StoredSubscription,
} from '../state.ts'
import { checkCurrency, defaultMethod } from './customer.ts'
import { balanceFor, withBalance } from './customer-balance.ts'
import { type DiscountRequest, readDiscounts, startDiscounts } from './discount.ts'
import { changedFields, emit } from './event.ts'
import { finalizeInvoice, recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines, pendingItems, periodLines } from './invoice-line.ts'
import { no_method, payInvoice } from './pay-invoice.ts'
import { nextBoundary, type Period, recurrenceOf } from './period.ts'
import { asPublished } from './published.ts'
import { itemList, newSubscriptionItem } from './subscription.ts'
import { declineOf } from './test-cards.ts'

export type NewSubscription = {
  automatic_tax?: boolean
  cause: Cause
  currency: string
  customer: StoredCustomer
  default_payment_method: string | null
  description: string | null
  discounts: DiscountRequest[]
  /** The intent of an attempt to pay that was declined before there was a subscription. */
  intent?: StoredPaymentIntent | undefined
  is_off_session: boolean
  items: { price: StoredPrice; quantity: number; metadata: Record<string, string> }[]
  metadata: Record<string, string>
  /** The first invoice takes what waits for one; a checkout has named its price, and does not. */
  takes_pending: boolean
  trial_end: number | null
}

/** Starts a subscription: its first period or trial is invoiced and paid before the call returns. */
export function createSubscription(
  service: Service,
  input: NewSubscription,
): { subscription: StoredSubscription; invoice: StoredInvoice } {
  const { store } = service
  const { cause } = input
  checkCurrency(service, input.customer.id, input.currency)
  const draft = draftSubscription(service, input)
  const method = defaultMethod(service, { subscription: draft.subscription, customer: input.customer })
  const is_paid = checkPayable(input, { invoice: draft.invoice, method })
  claimCurrency(service, input)
  const subscription = store.subscriptions.put({
    ...draft.subscription,
    status: input.trial_end !== null ? 'trialing' : is_paid ? 'active' : 'incomplete',
  })
  store.subscription_details.put({ id: subscription.id, is_trial_end_announced: false })
  emit(service, 'customer.subscription.created', subscription, { cause })
  startDiscounts(service, draft.discounts, cause)
  const recorded = recordDraft(service, draft.invoice, cause)
  let invoice = finalizeInvoice(service, recorded, { cause, intent: input.intent })
  if (invoice.status === 'open') {
    const { is_off_session } = input
    ;({ invoice } = payInvoice(service, invoice, { method, is_off_session, is_automatic: true, cause }))
  }
  return { subscription: store.subscriptions.get(subscription.id) ?? subscription, invoice }
}

/** The subscription and its first invoice as they would be; nothing is stored. */
function draftSubscription(
  service: Service,
  input: Omit<NewSubscription, 'cause' | 'is_off_session'>,
): { subscription: StoredSubscription; invoice: StoredInvoice; discounts: StoredDiscount[] } {
  const now = service.clock.now()
  const id = newId('sub')
  const invoice_id = newInvoiceId()
  const anchor = input.trial_end ?? now
  const [first] = input.items
  if (!first) throw invalidRequest('A subscription must have at least one item.', { param: 'items' })
  const end = input.trial_end ?? nextBoundary(anchor, recurrenceOf(first.price), now)
  const period: Period = { start: now, end }
  const discounts = readDiscounts(service, input.discounts, {
    customer: input.customer.id,
    subscription: { discounts: [], id },
  })
  const subscription = asPublished<StoredSubscription>({
    id,
    object: 'subscription',
    automatic_tax: {
      disabled_reason: null,
      enabled: input.automatic_tax ?? false,
      liability: input.automatic_tax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: anchor,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    cancel_at_period_end: false,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: input.currency,
    customer: input.customer.id,
    default_payment_method: input.default_payment_method,
    default_tax_rates: [],
    description: input.description,
    discounts: discounts.map((discount) => discount.id),
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: itemList(
      id,
      input.items.map((item) => newSubscriptionItem(service, { ...item, subscription: id, period })),
    ),
    latest_invoice: invoice_id,
    livemode: service.livemode,
    managed_payments: { enabled: false },
    metadata: input.metadata,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    start_date: now,
    status: input.trial_end === null ? 'active' : 'trialing',
    trial_end: input.trial_end,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: input.trial_end === null ? null : now,
  })
  const is_trial = input.trial_end !== null
  const invoice = newInvoice(service, {
    id: invoice_id,
    billing_reason: 'subscription_create',
    currency: input.currency,
    customer: input.customer.id,
    discounts,
    lines: [
      ...itemLines(invoice_id, input.takes_pending ? pendingItems(service, subscription) : []),
      ...periodLines(service, { invoice: invoice_id, subscription, period, is_trial }),
    ],
    subscription,
  })
  return { subscription, invoice, discounts }
}

/** Whether the first invoice will be paid; throws where there is nothing to pay it with. */
function checkPayable(
  { is_off_session }: NewSubscription,
  { invoice, method }: { invoice: StoredInvoice; method: StoredPaymentMethod | null },
): boolean {
  if (invoice.amount_due === 0) return true
  if (!method) throw invalidRequest(no_method.message, { code: no_method.code })
  return declineOf(method, { is_off_session }) === null
}

/**
 * A subscription decides in which currency a credit is kept, also of a customer who had one in another:
 * https://support.stripe.com/questions/set-or-change-currency-for-an-invoice-or-customer-in-stripe-billing
 */
function claimCurrency(service: Service, { customer, currency, cause }: NewSubscription): void {
  if (customer.currency === currency) return
  const balance = balanceFor(customer, currency)
  const after = service.store.customers.put(withBalance({ ...customer, currency }, { currency, balance }))
  emit(service, 'customer.updated', after, { cause, previous_attributes: changedFields(customer, after) })
}
