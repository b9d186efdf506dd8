import type { StoredCharge, StoredRefund } from '../entities.ts'
import { newId } from '../ids.ts'
import type { World } from '../world.ts'

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

export function newRefund(
  { clock }: World,
  {
    charge,
    amount,
    reason,
    metadata,
  }: { charge: StoredCharge; amount: number; reason: RefundReason | null; metadata: Record<string, string> },
): StoredRefund {
  const type = charge.payment_method_details?.type ?? 'card'
  return {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
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
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
}
