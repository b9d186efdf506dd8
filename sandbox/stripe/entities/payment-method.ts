import { newId } from '../../kit/id.ts'
import { existing, invalidRequest } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredPaymentMethod } from '../state.ts'
import { emit } from './event.ts'
import { fingerprint, type TestCard } from './test-cards.ts'

export type Payer = {
  email: string | null
  name: string | null
  /** Left out where a page of the sandbox, unlike Stripe's, does not ask for it. */
  country?: string | null
  postal_code?: string | null
}
export type Expiry = { month: number; year: number }

/** Of a card that no buyer has typed: good for three years from now. */
export function expiryOf({ clock }: Pick<Service, 'clock'>): Expiry {
  return { month: 12, year: new Date(clock.nowMs()).getUTCFullYear() + 3 }
}

export function newCardMethod(
  service: Service,
  {
    card,
    expiry,
    payer,
    customer,
  }: { card: TestCard; expiry: Expiry; payer: Payer; customer: string | null },
): StoredPaymentMethod {
  return {
    ...shared(service, payer, customer),
    type: 'card',
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: card.country,
      display_brand: card.brand,
      exp_month: expiry.month,
      exp_year: expiry.year,
      fingerprint: fingerprint(card.number),
      funding: card.funding,
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
  }
}

/** Stripe's test accounts for bank debits that always pay, in each currency's own scheme. */
const debits = {
  bacs_debit: { fingerprint: fingerprint('00012345'), last4: '2345', sort_code: '108800' },
  sepa_debit: {
    bank_code: '37040044',
    branch_code: '',
    country: 'DE',
    fingerprint: fingerprint('DE89370400440532013000'),
    last4: '3000',
  },
  us_bank_account: {
    account_holder_type: 'individual',
    account_type: 'checking',
    bank_name: 'STRIPE TEST BANK',
    fingerprint: fingerprint('000123456789'),
    last4: '6789',
    routing_number: '110000000',
  },
} as const
export type DebitType = keyof typeof debits

export function newDebitMethod(
  service: Service,
  { type, payer, customer }: { type: DebitType; payer: Payer; customer: string | null },
): StoredPaymentMethod {
  return { ...shared(service, payer, customer), type, [type]: debits[type] }
}

const debit_types: Record<string, DebitType> = {
  eur: 'sepa_debit',
  gbp: 'bacs_debit',
  usd: 'us_bank_account',
}

export function debitTypeFor(currency: string): DebitType | null {
  return debit_types[currency] ?? null
}

function shared({ clock, livemode }: Service, payer: Payer, customer: string | null) {
  const { email, name, country, postal_code = null } = payer
  // A card of the API comes without an owner.
  const address =
    email === null && name === null
      ? emptyAddress
      : country
        ? { ...emptyAddress, country, postal_code }
        : defaultAddress
  return {
    id: newId('pm'),
    object: 'payment_method',
    // Stripe.PaymentMethod.allow_redisplay: the default.
    allow_redisplay: 'unspecified',
    billing_details: { address, email, name, phone: null, tax_id: null },
    created: clock.now(),
    customer,
    customer_account: null,
    livemode,
    metadata: {},
  } as const
}

export const emptyAddress = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
}

/** Of a buyer who was not asked for one. */
export const defaultAddress = { ...emptyAddress, country: 'DE', postal_code: '10115' }

/**
 * A new card that can be charged from now on without its owner. It is `limited` to that, unless its owner
 * lets Checkout offer it again: https://support.stripe.com/questions/prefilling-saved-cards-in-checkout
 */
export function attachCard(
  service: Service,
  {
    is_saved,
    ...input
  }: { card: TestCard; expiry: Expiry; payer: Payer; customer: string | null; is_saved: boolean },
): StoredPaymentMethod {
  const method = service.store.payment_methods.put({
    ...newCardMethod(service, input),
    allow_redisplay: is_saved ? 'always' : 'limited',
  })
  emit(service, 'payment_method.attached', method, { cause: noCall })
  return method
}

export function checkMethod(
  { store }: Service,
  { method, customer }: { method: string; customer: string },
): void {
  const found = existing(store.payment_methods, 'PaymentMethod', method, 'default_payment_method')
  if (found.customer !== customer) {
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param: 'default_payment_method' },
    )
  }
}
