import type { Router } from '@koa/router'
import { z } from 'zod'
import { attachCard, expiryOf } from '../entities/payment-method.ts'
import { moveRefund } from '../entities/refund.ts'
import { forgivePart, payPart } from '../entities/settle-invoice.ts'
import { knownCard } from '../entities/test-cards.ts'
import { existing } from '../errors.ts'
import type { Service } from '../service.ts'
import { knobsOf } from './knob.ts'

const part = { amount: z.int().min(1) }

/** What support does with an invoice at the dashboard, and what becomes of a refund at the bank. */
export function invoiceKnobs(router: Router, service: Service): void {
  const { store } = service
  const knob = knobsOf(router)

  knob('invoices/:id/pay_part', part, ({ amount }, id) => {
    const invoice = existing(store.invoices, 'invoice', id)
    const { email, name = null, ...customer } = existing(store.customers, 'customer', invoice.customer)
    const method = attachCard(service, {
      card: knownCard('4242424242424242'),
      expiry: expiryOf(service),
      payer: { email, name },
      customer: customer.id,
      is_saved: false,
    })
    return { invoice: payPart(service, invoice, { amount, method }) }
  })

  knob('invoices/:id/credit_note', part, ({ amount }, id) => ({
    invoice: forgivePart(service, existing(store.invoices, 'invoice', id), amount),
  }))

  knob('refunds/:id/status', { status: z.enum(['pending', 'succeeded', 'failed']) }, ({ status }, id) => ({
    refund: moveRefund(service, existing(store.refunds, 'refund', id), status),
  }))
}
