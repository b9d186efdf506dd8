import type { Router } from '@koa/router'
import { z } from 'zod'
import { collectInvoice } from '../entities/collect-invoice.ts'
import { draftSubscription } from '../entities/create-subscription.ts'
import { finalizeInvoice } from '../entities/finalize-invoice.ts'
import { subscriptionOf, voidInvoice } from '../entities/invoice.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { checkMethod } from '../entities/payment-method.ts'
import { asPreview, previewUpdate } from '../entities/preview-invoice.ts'
import { defaultTrialSettings } from '../entities/subscription.ts'
import { checkTogether, findPrice } from '../entities/subscription-item.ts'
import { cardError, invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { common, flag, isWithin, pagination, range, readParams, text } from '../wire/params.ts'
import { previewParams } from '../wire/subscription-params.ts'
import { resource } from './resource.ts'
import { findSubscription, readItems } from './subscriptions.ts'

const payParams = z.strictObject({ ...common, off_session: flag.optional(), payment_method: text.optional() })
const finalizeParams = z.strictObject({ ...common, auto_advance: flag.optional() })

export function invoiceRoutes(router: Router, service: Service): void {
  const { store } = service

  router.post(
    '/v1/invoices/create_preview',
    handle(service, ({ form }) => preview(service, readParams(previewParams, form))),
  )

  const find = resource(router, service, {
    path: '/v1/invoices',
    noun: 'invoice',
    table: store.invoices,
    filters: {
      created: range.optional(),
      customer: text.optional(),
      status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
      subscription: text.optional(),
    },
    where: { subscription: (invoice, id) => subscriptionOf(invoice) === id },
  })

  resource(router, service, {
    path: '/v1/invoice_payments',
    noun: 'invoice_payment',
    table: store.invoice_payments,
    filters: {
      created: range.optional(),
      invoice: text.optional(),
      payment: z.strictObject({ payment_intent: text, type: z.literal('payment_intent') }).optional(),
      status: z.enum(['canceled', 'open', 'paid']).optional(),
    },
    where: { payment: (row, { payment_intent }) => row.payment.payment_intent === payment_intent },
  })

  resource(router, service, {
    path: '/v1/invoiceitems',
    noun: 'invoiceitem',
    table: store.invoice_items,
    filters: {
      created: range.optional(),
      customer: text.optional(),
      invoice: text.optional(),
      pending: flag.optional(),
    },
    where: {
      created: ({ date }, bounds) => isWithin(date, bounds),
      pending: ({ invoice }, is_pending) => (invoice === null) === is_pending,
    },
  })

  router.get(
    '/v1/invoices/:id/lines',
    handle(service, ({ form, path }) => {
      const { id, lines } = find(path('id'))
      return pageOf(lines.data, readParams(z.strictObject(pagination), form), `/v1/invoices/${id}/lines`)
    }),
  )

  router.post(
    '/v1/invoices/:id/pay',
    handle(service, ({ form, path, cause }) => {
      const params = readParams(payParams, form)
      const invoice = find(path('id'))
      if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
      if (invoice.status !== 'open')
        throw invalidRequest(`Invoice is ${invoice.status}; only an open one can be paid.`)
      const named = params.payment_method
      if (named !== undefined) checkMethod(service, { method: named, customer: invoice.customer })
      const method = store.payment_methods.get(named)
      const result = collectInvoice(service, invoice, {
        cause,
        is_automatic: false,
        is_off_session: params.off_session ?? true,
        ...(method && { method }),
      })
      if (result.decline) throw cardError(result.decline)
      return result.invoice
    }),
  )

  router.post(
    '/v1/invoices/:id/finalize',
    handle(service, ({ form, path, cause }) => {
      readParams(finalizeParams, form)
      const invoice = find(path('id'))
      if (invoice.status !== 'draft') {
        throw invalidRequest(
          "This invoice is already finalized, you can't re-finalize a non-draft invoice.",
          {
            code: 'invoice_not_editable',
          },
        )
      }
      return finalizeInvoice(service, invoice, { cause })
    }),
  )

  router.post(
    '/v1/invoices/:id/void',
    handle(service, ({ form, path, cause }) => {
      readParams(z.strictObject(common), form)
      return voidInvoice(service, find(path('id')), cause)
    }),
  )
}

/** The next invoice of a subscription, with a change or without; or the first one of a subscription yet to be made. */
function preview(service: Service, params: z.output<typeof previewParams>): StoredInvoice {
  const details = params.subscription_details
  if (params.subscription !== undefined) {
    return previewUpdate(service, findSubscription(service, params.subscription), {
      ends_trial: details?.trial_end === 'now',
      items: readItems(details?.items ?? []),
      proration_behavior: details?.proration_behavior ?? 'create_prorations',
      proration_date: details?.proration_date ?? null,
    })
  }
  const customer = service.store.customers.get(params.customer)
  if (!customer) throw noSuch('customer', params.customer ?? '', 'customer')
  const items = details?.items ?? []
  const currency = params.currency ?? service.store.prices.get(items[0]?.price)?.currency ?? ''
  const priced = items.map(({ price = '', quantity = 1, metadata }, index) => ({
    price: findPrice(service, { id: price, currency, param: `subscription_details[items][${index}]` }),
    quantity,
    metadata: mergeMetadata(null, metadata),
  }))
  checkTogether(priced)
  const { invoice } = draftSubscription(service, {
    billing_mode: 'flexible',
    currency,
    customer,
    default_payment_method: null,
    description: null,
    items: priced,
    metadata: {},
    trial_end: null,
    trial_settings: defaultTrialSettings,
  })
  return asPreview(invoice)
}
