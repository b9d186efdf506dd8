import { newId } from '../../kit/id.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredLineItem, StoredPaymentMethod, StoredPrice, StoredSession } from '../state.ts'
import { newCustomer } from './customer.ts'
import { emit } from './event.ts'
import { type DebitType, type Expiry, emptyAddress, type Payer } from './payment-method.ts'
import type { TestCard } from './test-cards.ts'

type NewLineItem = {
  price: StoredPrice
  currency: string
  quantity: number
  description: string
  is_free?: boolean
}

/** One line of a checkout in the session's currency, with a copy of the price. */
export function newLineItem({
  price,
  currency,
  quantity,
  description,
  is_free = false,
}: NewLineItem): StoredLineItem {
  const { currency_options, ...shown } = price
  const amount = is_free ? 0 : (currency_options[currency]?.unit_amount ?? 0) * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description,
    metadata: {},
    price: shown,
    quantity,
  }
}

export const offeredByDefault = ['always'] as const

/**
 * The cards that the page offers a returning customer, the newest first, which a single payment begins with:
 * those that the session's filters let through, with the owner's e-mail address, name and country (in three
 * countries the postal code too), at most 50.
 * https://docs.stripe.com/payments/existing-customers?platform=web&ui=stripe-hosted
 */
export function savedCards(
  { store }: Service,
  { customer, saved_payment_method_options }: StoredSession,
): StoredPaymentMethod[] {
  if (customer === null) return []
  const filters: readonly string[] = saved_payment_method_options?.allow_redisplay_filters ?? offeredByDefault
  return store.payment_methods
    .filter(
      (method) =>
        method.customer === customer &&
        method.type === 'card' &&
        filters.includes(method.allow_redisplay ?? 'unspecified') &&
        isComplete(method.billing_details),
    )
    .reverse()
    .slice(0, 50)
}

function isComplete({ email, name, address }: StoredPaymentMethod['billing_details']): boolean {
  const { country = null, postal_code = null } = address ?? {}
  if (!email || !name || !country) return false
  return !['US', 'CA', 'GB'].includes(country) || postal_code !== null
}

/** Where the buyer goes after paying: Stripe puts the session's id where the template asks for it. */
export function returnUrl({ id, success_url }: StoredSession): string | null {
  return success_url?.replaceAll('{CHECKOUT_SESSION_ID}', id) ?? null
}

/** The buyer has finished: the session closes for good. `payment_status` says whether the money is there. */
export function completeSession(
  service: Service,
  session_id: string,
  { payer, payment_status }: { payer: Payer; payment_status: 'no_payment_required' | 'paid' | 'unpaid' },
): StoredSession {
  const session = service.store.checkout_sessions.get(session_id)
  if (!session) throw new Error(`Session ${session_id} disappeared while it was being paid.`)
  const completed = service.store.checkout_sessions.put({
    ...session,
    customer_details: {
      address: session.customer_details?.address ?? emptyAddress,
      business_name: session.customer_details?.business_name ?? null,
      email: payer.email,
      individual_name: null,
      name: payer.name,
      phone: null,
      tax_exempt: 'none',
      tax_ids: session.customer_details?.tax_ids ?? [],
    },
    // The uncertain total of a trial is final now.
    ...(payment_status === 'no_payment_required' && { amount_total: 0 }),
    payment_status,
    status: 'complete',
    url: null,
  })
  emit(service, 'checkout.session.completed', completed, { cause: noCall })
  return completed
}

/** The session with its customer: the given one, a new one, or a guest. */
export function withCustomer(service: Service, session: StoredSession, payer: Payer): StoredSession {
  if (session.customer || session.customer_creation !== 'always') return session
  const customer = service.store.customers.put(
    newCustomer(service, {
      address: session.customer_details?.address ?? null,
      email: payer.email,
      name: payer.name,
      metadata: {},
    }),
  )
  emit(service, 'customer.created', customer, { cause: noCall })
  return service.store.checkout_sessions.put({ ...session, customer: customer.id })
}

/** Closes an open session unpaid; an intent left by a declined attempt is cancelled with it. */
export function expireSession(service: Service, session: StoredSession, cause: Cause): StoredSession {
  const { store, clock } = service
  const hidden = store.checkout_details.get(session.id)?.payment_intent
  const intent = store.payment_intents.get(session.payment_intent ?? hidden)
  if (intent?.status === 'requires_payment_method') {
    const canceled = store.payment_intents.put({
      ...intent,
      canceled_at: clock.now(),
      cancellation_reason: 'automatic',
      status: 'canceled',
    })
    emit(service, 'payment_intent.canceled', canceled, { cause })
  }
  const expired = store.checkout_sessions.put({ ...session, status: 'expired', url: null })
  emit(service, 'checkout.session.expired', expired, { cause })
  return expired
}

export type PaymentMeans =
  /** With `fails_later` the buyer gets through, but the bank refuses the subscription's first payment. */
  | { type: 'card'; card: TestCard; expiry: Expiry; fails_later?: boolean; is_saved?: boolean }
  | { type: 'saved'; method: StoredPaymentMethod }
  | { type: 'debit'; debit: DebitType }

export type PaymentResult =
  | { outcome: 'already_complete' | 'expired' | 'paid' | 'processing'; session: StoredSession }
  | { outcome: 'declined'; session: StoredSession; message: string }
