import type { Router, RouterContext } from '@koa/router'
import { seeOther } from '../../kit/html.ts'
import { collectInvoice } from '../entities/collect-invoice.ts'
import { attachCard } from '../entities/payment-method.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { readForm } from '../wire/form.ts'
import { readCardForm } from './card-form.ts'
import { notFoundPage } from './closed-pages.ts'
import { type InvoiceView, invoicePage } from './invoice-page.ts'
import { sendPage } from './layout.ts'

export function invoicePageRoutes(router: Router, service: Service): void {
  const { store, clock, settings } = service

  const find = (context: RouterContext): StoredInvoice | null => {
    const invoice = store.invoices.get(context.params.id)
    if (invoice && invoice.status !== 'draft') return invoice
    context.status = 404
    sendPage(context, notFoundPage('There is no such invoice'))
    return null
  }

  const show = (context: RouterContext, view: Omit<InvoiceView, 'businessName'>) =>
    sendPage(context, invoicePage({ ...view, businessName: settings.businessName }))

  router.get('/i/:id', (context) => {
    const invoice = find(context)
    const typed = { number: '', expiry: '', name: invoice?.customer_name ?? '' }
    if (invoice) show(context, { invoice, typed, errors: {}, declined: null })
  })

  // The page can be printed; there is no file.
  router.get('/i/:id/pdf', (context) => seeOther(context, `/i/${context.params.id}`))

  router.post('/i/:id', async (context) => {
    const form = await readForm(context.req)
    const invoice = find(context)
    if (!invoice) return
    const { typed, errors, read: card } = readCardForm(form, clock.now())
    const refuse = (status: number, declined: string | null) => {
      context.status = status
      show(context, { invoice, typed, errors, declined })
    }
    if (invoice.status === 'open') {
      if (!card) return refuse(422, null)
      if (card.card.decline) return refuse(402, card.card.decline.message)
      const customer = store.customers.get(invoice.customer)
      if (!customer || customer.deleted) return refuse(404, 'This customer is gone.')
      // It pays this invoice, and no subscription is charged to it; whether it is kept is a setting of the account
      // (https://docs.stripe.com/api/accounts/update: `settings.invoices.hosted_payment_method_save`).
      const payer = { email: customer.email, name: typed.name }
      const method = attachCard(service, { ...card, payer, customer: customer.id, is_saved: false })
      collectInvoice(service, invoice, { cause: noCall, is_automatic: false, is_off_session: false, method })
    }
    seeOther(context, `/i/${invoice.id}`)
  })
}
