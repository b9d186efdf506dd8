import type { Router } from '@koa/router'
import { z } from 'zod'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { flag, isWithin, pagination, range, readParams, text } from '../wire/params.ts'

const listPayments = z.strictObject({
  ...pagination,
  created: range.optional(),
  invoice: text.optional(),
  payment: z.strictObject({ payment_intent: text, type: z.literal('payment_intent') }).optional(),
  status: z.enum(['canceled', 'open', 'paid']).optional(),
})
const listItems = z.strictObject({
  ...pagination,
  created: range.optional(),
  customer: text.optional(),
  invoice: text.optional(),
  pending: flag.optional(),
})

/** What lies between invoices and money: their payments, and the amounts that wait for an invoice. */
export function invoicePaymentRoutes(router: Router, service: Service): void {
  const { store } = service

  router.get(
    '/v1/invoice_payments',
    handle(service, ({ form }) => {
      const { created, invoice, payment, status, ...cursor } = readParams(listPayments, form)
      return listPage(store.invoice_payments, cursor, {
        url: '/v1/invoice_payments',
        noun: 'invoice_payment',
        matches: (one) =>
          (invoice === undefined || one.invoice === invoice) &&
          (payment === undefined || one.payment.payment_intent === payment.payment_intent) &&
          (status === undefined || one.status === status) &&
          isWithin(one.created, created),
      })
    }),
  )

  router.get(
    '/v1/invoice_payments/:id',
    handle(service, ({ path }) => {
      const payment = store.invoice_payments.get(path('id'))
      if (!payment) throw noSuch('invoice_payment', path('id'))
      return payment
    }),
  )

  router.get(
    '/v1/invoiceitems',
    handle(service, ({ form }) => {
      const { created, customer, invoice, pending, ...cursor } = readParams(listItems, form)
      return listPage(store.invoice_items, cursor, {
        url: '/v1/invoiceitems',
        noun: 'invoiceitem',
        matches: (item) =>
          (customer === undefined || item.customer === customer) &&
          (invoice === undefined || item.invoice === invoice) &&
          (pending === undefined || (item.invoice === null) === pending) &&
          isWithin(item.date, created),
      })
    }),
  )

  router.get(
    '/v1/invoiceitems/:id',
    handle(service, ({ path }) => {
      const item = store.invoice_items.get(path('id'))
      if (!item) throw noSuch('invoiceitem', path('id'))
      return item
    }),
  )
}
