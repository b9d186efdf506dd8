import { newId, randomText } from '../../kit/id.ts'
import type { Decline } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCharge, StoredPaymentIntent, StoredPaymentMethod } from '../state.ts'
import { wholeList } from './list.ts'
import type { DebitType } from './payment-method.ts'
import { asPublished } from './published.ts'

export type Attempt = {
  intent: StoredPaymentIntent
  method: StoredPaymentMethod
  decline: Decline | null
}

/** An attempt to collect: succeeded, failed with a decline, or pending at the bank. */
export function newCharge(
  { clock, livemode, publicUrl }: Service,
  { intent, method, status, decline }: Attempt & { status: 'failed' | 'pending' | 'succeeded' },
): StoredCharge {
  const id = newId('ch')
  const is_paid = status === 'succeeded'
  return asPublished<StoredCharge>({
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: status === 'failed' ? 0 : intent.amount,
    amount_refunded: 0,
    balance_transaction: is_paid ? newId('txn') : null,
    billing_details: { ...method.billing_details },
    calculated_statement_descriptor: intent.statement_descriptor ?? 'SANDBOX STORE',
    captured: status !== 'failed',
    created: clock.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode,
    metadata: intent.metadata,
    outcome: outcome(decline),
    paid: is_paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(method, intent.amount),
    receipt_email: intent.receipt_email,
    receipt_url: is_paid ? `${publicUrl}/receipts/${id}` : null,
    refunded: false,
    refunds: wholeList([], `/v1/charges/${id}/refunds`),
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status,
    transfer_group: intent.transfer_group,
  })
}

export function outcome(decline: Decline | null): NonNullable<StoredCharge['outcome']> {
  return {
    advice_code: decline ? 'try_again_later' : null,
    network_advice_code: null,
    network_decline_code: decline?.decline_code ? '05' : null,
    network_status: decline ? 'declined_by_network' : 'approved_by_network',
    reason: decline ? (decline.decline_code ?? decline.code) : null,
    risk_level: 'normal',
    risk_score: 12,
    seller_message: decline
      ? 'The bank did not return any further details with this decline.'
      : 'Payment complete.',
    type: decline ? 'issuer_declined' : 'authorized',
  }
}

function detailsOf(method: StoredPaymentMethod, amount: number): StoredCharge['payment_method_details'] {
  const { card, type } = method
  if (!card) {
    const debit = method[type as DebitType]
    return { type, [type]: { ...debit, mandate: newId('mandate') } }
  }
  const { brand, country, exp_month, exp_year, fingerprint = null, funding, last4, checks } = card
  return {
    type,
    card: {
      amount_authorized: amount,
      authorization_code: randomText(6).toUpperCase(),
      brand,
      checks,
      country,
      electronic_commerce_indicator: null,
      exp_month,
      exp_year,
      extended_authorization: { status: 'disabled' },
      fingerprint,
      funding,
      incremental_authorization: { status: 'unavailable' },
      installments: null,
      last4,
      mandate: null,
      multicapture: { status: 'unavailable' },
      network: brand,
      network_token: { used: false },
      network_transaction_id: randomText(15),
      overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  }
}
