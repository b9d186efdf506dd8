import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredCharge, StoredDispute } from '../state.ts'
import { emit } from './event.ts'
import { testCardOf } from './test-cards.ts'

const response_time_s = 7 * 24 * 60 * 60

const no_evidence: StoredDispute['evidence'] = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}

function newDispute(
  { clock }: Service,
  { charge, amount, reason }: { charge: StoredCharge; amount: number; reason: string },
): StoredDispute {
  const brand = charge.payment_method_details?.card?.brand ?? 'visa'
  return {
    id: newId('dp'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      ...no_evidence,
      customer_email_address: charge.billing_details.email,
      customer_name: charge.billing_details.name,
    },
    evidence_details: {
      due_by: clock.now() + response_time_s,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand, case_type: 'chargeback', network: brand, network_reason_code: '10.4' },
      type: 'card',
    },
    reason,
    status: 'needs_response',
  }
}

/** The cardholder's bank takes the money back until it is settled who is right. */
export function disputeCharge(
  service: Service,
  {
    charge,
    amount,
    reason,
    cause,
  }: { charge: StoredCharge; amount: number | undefined; reason: string; cause: Cause },
): StoredDispute {
  const left = charge.amount - charge.amount_refunded
  const asked = amount ?? left
  if (charge.status !== 'succeeded' || charge.disputed || asked < 1 || asked > left) {
    throw invalidRequest(`Charge ${charge.id} cannot be disputed for ${asked}.`, { param: 'charge' })
  }
  const dispute = service.store.disputes.put(newDispute(service, { charge, amount: asked, reason }))
  const disputed = service.store.charges.put({ ...charge, disputed: true })
  emit(service, 'charge.dispute.created', dispute, { cause })
  emit(service, 'charge.dispute.funds_withdrawn', dispute, { cause })
  emit(service, 'charge.updated', disputed, { cause, previous_attributes: { disputed: false } })
  return dispute
}

/** The bank has decided. Won: the money comes back; lost: it stays away. */
export function closeDispute(
  service: Service,
  { dispute, outcome, cause }: { dispute: StoredDispute; outcome: 'lost' | 'won'; cause: Cause },
): StoredDispute {
  if (isClosed(dispute)) {
    throw invalidRequest(`Dispute ${dispute.id} is already closed: ${dispute.status}.`)
  }
  const closed = service.store.disputes.put({
    ...dispute,
    is_charge_refundable: outcome === 'won',
    status: outcome,
  })
  emit(service, 'charge.dispute.closed', closed, { cause, previous_attributes: { status: dispute.status } })
  if (outcome === 'won') emit(service, 'charge.dispute.funds_reinstated', closed, { cause })
  return closed
}

export function isClosed({ status }: StoredDispute): boolean {
  return status === 'won' || status === 'lost'
}

/** Some test cards dispute whatever they have paid. Called after the events of the payment itself. */
export function disputeAtOnce(service: Service, charge_id: string | null): void {
  const charge = service.store.charges.get(charge_id)
  const method = service.store.payment_methods.get(charge?.payment_method)
  const reason = method && testCardOf(method)?.dispute
  if (charge && reason) disputeCharge(service, { charge, amount: undefined, reason, cause: noCall })
}
