import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredCharge, StoredRefund } from '../state.ts'
import { changedFields, emit } from './event.ts'
import { formatMoney } from './format.ts'
import { wholeList } from './list.ts'
import { asPublished } from './published.ts'
import { testCardOf } from './test-cards.ts'

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

function newRefund(
  { clock }: Service,
  {
    charge,
    amount,
    reason,
    metadata,
  }: { charge: StoredCharge; amount: number; reason: RefundReason | null; metadata: Record<string, string> },
): StoredRefund {
  const type = charge.payment_method_details?.type ?? 'card'
  return asPublished<StoredRefund>({
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    customer: charge.customer,
    destination_details:
      type === 'card'
        ? {
            type,
            card: {
              reference_status: 'pending',
              reference_type: 'acquirer_reference_number',
              type: 'refund',
            },
          }
        : { type },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason,
    status: 'succeeded',
  })
}

type RefundInput = {
  charge: StoredCharge
  amount: number | undefined
  reason: RefundReason | null
  metadata: Record<string, string>
  cause: Cause
}

/** Gives back all that is left of a charge, or a part of it. Parts add up and never exceed the charge. */
export function refundCharge(
  service: Service,
  { charge, amount, cause, ...rest }: RefundInput,
): StoredRefund {
  const { store } = service
  checkRefundable(service, charge)
  const left = charge.amount - charge.amount_refunded
  const asked = amount ?? left
  if (asked < 1) throw invalidRequest(`Invalid positive integer: ${asked}`, { param: 'amount' })
  if (asked > left) {
    const [wanted, rest_of_it] = [asked, left].map((sum) =>
      formatMoney({ amount: sum, currency: charge.currency }),
    )
    throw invalidRequest(
      `Refund amount (${wanted}) is greater than unrefunded amount on charge (${rest_of_it})`,
      {
        param: 'amount',
      },
    )
  }
  const refund = store.refunds.put(newRefund(service, { charge, amount: asked, ...rest }))
  const amount_refunded = charge.amount_refunded + asked
  const after = store.charges.put({
    ...charge,
    amount_refunded,
    refunded: amount_refunded === charge.amount,
    refunds: wholeList([refund, ...(charge.refunds?.data ?? [])], `/v1/charges/${charge.id}/refunds`),
  })
  const previous_attributes = changedFields(
    { amount_refunded: charge.amount_refunded, refunded: charge.refunded },
    { amount_refunded, refunded: after.refunded },
  )
  emit(service, 'refund.created', refund, { cause })
  emit(service, 'charge.refunded', after, { cause, previous_attributes })
  const method = store.payment_methods.get(charge.payment_method)
  if (method && testCardOf(method)?.fails_refunds) moveRefund(service, refund, 'failed')
  return refund
}

/**
 * What the bank makes of a refund later. One that fails has its money back in our balance, in a movement of
 * its own. Whether `amount_refunded` of its charge follows is not documented; here it does not, so that only
 * the refund itself says it. https://docs.stripe.com/refunds#failed-refunds
 */
export function moveRefund(
  service: Service,
  refund: StoredRefund,
  status: 'failed' | 'pending' | 'succeeded',
): StoredRefund {
  if (refund.status === 'failed') throw invalidRequest(`Refund ${refund.id} has failed already.`)
  const moved = service.store.refunds.put({
    ...refund,
    status,
    ...(status === 'failed' && {
      failure_balance_transaction: newId('txn'),
      failure_reason: 'expired_or_canceled_card',
    }),
  })
  const previous_attributes = changedFields({ status: refund.status }, { status })
  emit(service, 'refund.updated', moved, { cause: noCall, previous_attributes })
  if (status === 'failed') emit(service, 'refund.failed', moved, { cause: noCall })
  return moved
}

function checkRefundable({ store }: Service, charge: StoredCharge): void {
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  }
  const disputes = store.disputes.filter((dispute) => dispute.charge === charge.id)
  if (disputes.some(({ is_charge_refundable }) => !is_charge_refundable)) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    })
  }
  if (charge.status !== 'succeeded') {
    throw invalidRequest(`Charge ${charge.id} is ${charge.status}; only a succeeded charge can be refunded.`)
  }
}
