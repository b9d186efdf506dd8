import type { StoredInvoice, StoredInvoicePayment } from '../entities.ts'
import { newId } from '../ids.ts'
import type { World } from '../world.ts'

/** The bridge between an invoice and its payment intent; neither of the two names the other any more. */
export function newInvoicePayment(
  { clock }: World,
  { invoice, payment_intent }: { invoice: StoredInvoice; payment_intent: string },
): StoredInvoicePayment {
  return {
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: clock.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  }
}
