import type { StoredInvoice } from '../entities.ts'
import { invalidRequest } from '../errors.ts'
import { emit } from '../objects/event.ts'
import type { Cause, World } from '../world.ts'
import { defaultPayment } from './pay-invoice.ts'

/** Nobody owes this invoice any more; its payment intent can no longer be paid. */
export function voidInvoice(world: World, invoice: StoredInvoice, cause: Cause): StoredInvoice {
  const { store, clock } = world
  if (invoice.status !== 'open') {
    throw invalidRequest(`You can only void open invoices. This invoice is ${invoice.status}.`, {
      code: 'status_transition_invalid',
    })
  }
  const now = clock.now()
  const payment = defaultPayment(world, invoice)
  const intent = store.payment_intents.get(payment?.payment.payment_intent ?? '')
  const voided = store.invoices.put({
    ...invoice,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...invoice.status_transitions, voided_at: now },
  })
  emit(world, 'invoice.voided', voided, { cause })
  if (payment) {
    store.invoice_payments.put({
      ...payment,
      status: 'canceled',
      status_transitions: { ...payment.status_transitions, canceled_at: now },
    })
  }
  if (intent) {
    const canceled = store.payment_intents.put({
      ...intent,
      canceled_at: now,
      cancellation_reason: 'void_invoice',
      status: 'canceled',
    })
    emit(world, 'payment_intent.canceled', canceled, { cause })
  }
  return voided
}
