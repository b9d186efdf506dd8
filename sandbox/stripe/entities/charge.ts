import { newId, randomText } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredCharge, StoredPaymentIntent, StoredPaymentMethod } from '../state.ts'
import { wholeList } from './list.ts'
import { asPublished } from './published.ts'
import type { Decline } from './test-cards.ts'

/** An attempt to collect: succeeded, failed with a decline, or pending at the bank. */
export function newCharge(
  { clock, livemode, publicUrl }: Service,
  {
    intent,
    method,
    status,
    decline,
  }: {
    intent: StoredPaymentIntent
    method: StoredPaymentMethod
    status: 'failed' | 'pending' | 'succeeded'
    decline: Decline | null
  },
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
  const { card, sepa_debit, bacs_debit, us_bank_account } = method
  if (card) {
    return {
      type: 'card',
      card: {
        amount_authorized: amount,
        authorization_code: randomText(6).toUpperCase(),
        brand: card.brand,
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country: card.country,
        electronic_commerce_indicator: null,
        exp_month: card.exp_month,
        exp_year: card.exp_year,
        extended_authorization: { status: 'disabled' },
        fingerprint: card.fingerprint ?? null,
        funding: card.funding,
        incremental_authorization: { status: 'unavailable' },
        installments: null,
        last4: card.last4,
        mandate: null,
        multicapture: { status: 'unavailable' },
        network: card.brand,
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
  const mandate = newId('mandate')
  if (sepa_debit) {
    const { bank_code, branch_code, country, fingerprint, last4 } = sepa_debit
    return {
      type: 'sepa_debit',
      sepa_debit: { bank_code, branch_code, country, fingerprint, last4, mandate },
    }
  }
  if (bacs_debit) return { type: 'bacs_debit', bacs_debit: { ...bacs_debit, mandate } }
  if (us_bank_account) {
    const { account_holder_type, account_type, bank_name, fingerprint, last4, routing_number } =
      us_bank_account
    return {
      type: 'us_bank_account',
      us_bank_account: {
        account_holder_type,
        account_type,
        bank_name,
        fingerprint,
        last4,
        mandate,
        payment_reference: null,
        routing_number,
      },
    }
  }
  return { type: method.type }
}
