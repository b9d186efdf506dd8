import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { attachCard } from '../entities/payment-method.ts'
import { moveRefund } from '../entities/refund.ts'
import { forgivePart, payPart } from '../entities/settle-invoice.ts'
import { findTestCard } from '../entities/test-cards.ts'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { readJson } from './read-json.ts'

const partBody = z.strictObject({ amount: z.int().min(1) })
const refundBody = z.strictObject({ status: z.enum(['pending', 'succeeded', 'failed']) })

/** What support does with an invoice at the dashboard, and what becomes of a refund at the bank. */
export function invoiceKnobs(router: Router, service: Service): void {
  const { store, clock } = service
  const find = (context: RouterContext): StoredInvoice => {
    const found = store.invoices.get(context.params.id)
    if (!found) throw noSuch('invoice', context.params.id ?? '')
    return found
  }

  router.post('/_sandbox/invoices/:id/pay_part', async (context) => {
    const { amount } = await readJson(context, partBody)
    const invoice = find(context)
    const customer = store.customers.get(invoice.customer)
    const card = findTestCard('4242424242424242')
    if (!customer || !card) throw noSuch('customer', String(invoice.customer))
    const year = new Date(clock.nowMs()).getUTCFullYear() + 3
    const payer = { email: customer.email, name: customer.name ?? null }
    const method = attachCard(service, {
      card,
      expiry: { month: 12, year },
      payer,
      customer: customer.id,
      is_saved: false,
    })
    context.body = { invoice: payPart(service, invoice, { amount, method }) }
  })

  router.post('/_sandbox/invoices/:id/credit_note', async (context) => {
    const { amount } = await readJson(context, partBody)
    context.body = { invoice: forgivePart(service, find(context), amount) }
  })

  router.post('/_sandbox/refunds/:id/status', async (context) => {
    const { status } = await readJson(context, refundBody)
    const refund = store.refunds.get(context.params.id)
    if (!refund) throw noSuch('refund', context.params.id ?? '')
    context.body = { refund: moveRefund(service, refund, status) }
  })
}
