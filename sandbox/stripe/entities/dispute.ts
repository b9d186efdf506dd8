import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredCharge, StoredDispute } from '../state.ts'
import { emit } from './event.ts'
import { asPublished, noEvidence } from './published.ts'
import { testCardOf } from './test-cards.ts'

const response_time_s = 7 * 24 * 60 * 60

function newDispute(
  { clock, livemode }: Service,
  { charge, amount, reason }: { charge: StoredCharge; amount: number; reason: string },
): StoredDispute {
  const brand = charge.payment_method_details?.card?.brand ?? 'visa'
  return asPublished<StoredDispute>({
    id: newId('dp'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      ...noEvidence,
      customer_email_address: charge.billing_details.email,
      customer_name: charge.billing_details.name,
      enhanced_evidence: {},
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
    livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand, case_type: 'chargeback', network: brand, network_reason_code: '10.4' },
      type: 'card',
    },
    reason,
    status: 'needs_response',
  })
}

export const firstStatuses = ['needs_response', 'prevented', 'warning_needs_response'] as const
type FirstStatus = (typeof firstStatuses)[number]

type DisputeInput = {
  charge: StoredCharge
  amount: number | undefined
  reason: string
  cause: Cause
  status?: FirstStatus | undefined
}

/** The bank withdraws the money until the dispute is settled. */
export function disputeCharge(
  service: Service,
  { charge, amount, reason, cause, status = 'needs_response' }: DisputeInput,
): StoredDispute {
  const takes_money = status === 'needs_response'
  // A charge can have several (the SDK: `DisputeListParams.charge`), together of no more than it took.
  const earlier = service.store.disputes.filter((dispute) => dispute.charge === charge.id)
  const held = earlier.filter(({ status }) => status !== 'won' && status !== 'warning_closed')
  const left = held.reduce((sum, one) => sum - one.amount, charge.amount - charge.amount_refunded)
  const asked = amount ?? left
  if (charge.status !== 'succeeded' || asked < 1 || asked > left) {
    throw invalidRequest(`Charge ${charge.id} cannot be disputed for ${asked}.`, { param: 'charge' })
  }
  const fresh = newDispute(service, { charge, amount: asked, reason })
  const dispute = service.store.disputes.put({
    ...fresh,
    balance_transactions: takes_money ? [moneyMoved(service, fresh, -asked)] : [],
    is_charge_refundable: isRefundable(status),
    status,
  })
  const disputed = service.store.charges.put({ ...charge, disputed: true })
  emit(service, 'charge.dispute.created', dispute, { cause })
  if (takes_money) emit(service, 'charge.dispute.funds_withdrawn', dispute, { cause })
  if (!charge.disputed)
    emit(service, 'charge.updated', disputed, { cause, previous_attributes: { disputed: false } })
  return dispute
}

/** The bank has decided. Won: the money comes back; lost: it does not. */
export function closeDispute(
  service: Service,
  { dispute, outcome, cause }: { dispute: StoredDispute; outcome: 'lost' | 'won'; cause: Cause },
): StoredDispute {
  if (isClosed(dispute)) {
    throw invalidRequest(`Dispute ${dispute.id} is already closed: ${dispute.status}.`)
  }
  return moveDispute(service, { dispute, status: outcome, cause })
}

/** The statuses of this API version. https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const disputeStatuses = [
  'appeal_needs_response',
  'appeal_under_review',
  'lost',
  'needs_response',
  'prevented',
  'under_review',
  'warning_closed',
  'warning_needs_response',
  'warning_under_review',
  'won',
] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

/**
 * Moves a dispute to another status, with Stripe's events. Only a lost dispute is appealed; the money stays
 * withdrawn meanwhile.
 * https://docs.stripe.com/changelog/endive/2026-10-28/evidence-submission-appeal-dispute-decisions
 */
export function moveDispute(
  service: Service,
  { dispute, status, cause }: { dispute: StoredDispute; status: DisputeStatus; cause: Cause },
): StoredDispute {
  const is_appealable = dispute.status === 'lost' || isAppeal(dispute)
  if (isAppeal({ status }) && !is_appealable) {
    throw invalidRequest(`Dispute ${dispute.id} is ${dispute.status}; only a lost one can be appealed.`)
  }
  const was_taken = isMoneyTaken(dispute)
  const is_taken = status === 'prevented' ? was_taken : takesMoney({ status })
  const moved = was_taken === is_taken ? 0 : is_taken ? -dispute.amount : dispute.amount
  const after = service.store.disputes.put({
    ...dispute,
    balance_transactions:
      moved === 0
        ? dispute.balance_transactions
        : [...dispute.balance_transactions, moneyMoved(service, dispute, moved)],
    is_charge_refundable: isRefundable(status),
    status,
  })
  const type = isClosed(after) ? 'charge.dispute.closed' : 'charge.dispute.updated'
  emit(service, type, after, { cause, previous_attributes: { status: dispute.status } })
  if (moved < 0) emit(service, 'charge.dispute.funds_withdrawn', after, { cause })
  if (moved > 0) emit(service, 'charge.dispute.funds_reinstated', after, { cause })
  return after
}

export function isClosed({ status }: Pick<StoredDispute, 'status'>): boolean {
  return status === 'won' || status === 'lost' || status === 'warning_closed'
}

function isAppeal({ status }: Pick<StoredDispute, 'status'>): boolean {
  return status.startsWith('appeal_')
}

/** An inquiry (`warning_…`) withdraws no money, and a prevented dispute need not. */
function takesMoney({ status }: Pick<StoredDispute, 'status'>): boolean {
  return status !== 'won' && status !== 'prevented' && !status.startsWith('warning_')
}

function isMoneyTaken({ balance_transactions }: StoredDispute): boolean {
  return balance_transactions.reduce((sum, { amount }) => sum + amount, 0) < 0
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-balance_transactions */
function moneyMoved(
  { clock }: Service,
  { id, charge, currency }: StoredDispute,
  amount: number,
): StoredDispute['balance_transactions'][number] {
  const now = clock.now()
  return {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: now,
    balance_type: 'payments',
    created: now,
    currency,
    description: `Chargeback ${amount < 0 ? 'withdrawal' : 'reversal'} for ${charge}`,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
    source: id,
    status: 'available',
    type: 'adjustment',
  }
}

function isRefundable(status: DisputeStatus): boolean {
  return !takesMoney({ status }) && status !== 'prevented'
}

/** Some test cards dispute every payment. Called after the events of the payment itself. */
export function disputeAtOnce(service: Service, charge_id: string | null): void {
  const charge = service.store.charges.get(charge_id)
  const method = service.store.payment_methods.get(charge?.payment_method)
  const reason = method && testCardOf(method)?.dispute
  if (charge && reason) disputeCharge(service, { charge, amount: undefined, reason, cause: noCall })
}
