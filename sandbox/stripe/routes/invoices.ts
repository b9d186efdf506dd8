import type { Router } from '@koa/router'
import { z } from 'zod'
import { collectInvoice } from '../billing/collect-invoice.ts'
import { draftSubscription } from '../billing/create-subscription.ts'
import { checkTogether, findPrice } from '../billing/item-changes.ts'
import { finalizeInvoice } from '../billing/open-invoice.ts'
import { asPreview, previewUpdate } from '../billing/preview-invoice.ts'
import { voidInvoice } from '../billing/void-invoice.ts'
import type { StoredInvoice } from '../entities.ts'
import { cardError, invalidRequest, noSuch } from '../errors.ts'
import { subscriptionOf } from '../objects/invoice.ts'
import { defaultTrialSettings } from '../objects/subscription.ts'
import { handle } from '../wire/handle.ts'
import { listPage, pageOf } from '../wire/list.ts'
import { common, flag, isWithin, mergeMetadata, pagination, range, readParams, text } from '../wire/params.ts'
import type { World } from '../world.ts'
import { previewParams } from './subscription-params.ts'
import { checkMethod, findSubscription, readItems } from './subscriptions.ts'

const listParams = z.strictObject({
  ...pagination,
  created: range.optional(),
  customer: text.optional(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
  subscription: text.optional(),
})
const payParams = z.strictObject({ ...common, off_session: flag.optional(), payment_method: text.optional() })
const finalizeParams = z.strictObject({ ...common, auto_advance: flag.optional() })

export function invoiceRoutes(router: Router, world: World): void {
  const { store } = world

  const find = (id: string): StoredInvoice => {
    const invoice = store.invoices.get(id)
    if (!invoice) throw noSuch('invoice', id)
    return invoice
  }

  router.post(
    '/v1/invoices/create_preview',
    handle(world, ({ form }) => preview(world, readParams(previewParams, form))),
  )

  router.get(
    '/v1/invoices',
    handle(world, ({ form }) => {
      const { created, customer, status, subscription, ...cursor } = readParams(listParams, form)
      return listPage(store.invoices, cursor, {
        url: '/v1/invoices',
        noun: 'invoice',
        matches: (invoice) =>
          (customer === undefined || invoice.customer === customer) &&
          (status === undefined || invoice.status === status) &&
          (subscription === undefined || subscriptionOf(invoice) === subscription) &&
          isWithin(invoice.created, created),
      })
    }),
  )

  router.get(
    '/v1/invoices/:id',
    handle(world, ({ path }) => find(path('id'))),
  )

  router.get(
    '/v1/invoices/:id/lines',
    handle(world, ({ form, path }) => {
      const { id, lines } = find(path('id'))
      return pageOf(lines.data, readParams(z.strictObject(pagination), form), `/v1/invoices/${id}/lines`)
    }),
  )

  router.post(
    '/v1/invoices/:id/pay',
    handle(world, ({ form, path, cause }) => {
      const params = readParams(payParams, form)
      const invoice = find(path('id'))
      if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
      if (invoice.status !== 'open')
        throw invalidRequest(`Invoice is ${invoice.status}; only an open one can be paid.`)
      const named = params.payment_method
      if (named !== undefined) checkMethod(world, { method: named, customer: invoice.customer })
      const method = store.payment_methods.get(named ?? '')
      const result = collectInvoice(world, invoice, {
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
    handle(world, ({ form, path, cause }) => {
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
      return finalizeInvoice(world, invoice, { cause })
    }),
  )

  router.post(
    '/v1/invoices/:id/void',
    handle(world, ({ form, path, cause }) => {
      readParams(z.strictObject(common), form)
      return voidInvoice(world, find(path('id')), cause)
    }),
  )
}

/** The next invoice of a subscription, with a change or without; or the first one of a subscription yet to be made. */
function preview(world: World, params: z.output<typeof previewParams>): StoredInvoice {
  const details = params.subscription_details
  if (params.subscription !== undefined) {
    return previewUpdate(world, findSubscription(world, params.subscription), {
      ends_trial: details?.trial_end === 'now',
      items: readItems(details?.items ?? []),
      proration_behavior: details?.proration_behavior ?? 'create_prorations',
      proration_date: details?.proration_date ?? null,
    })
  }
  const customer = world.store.customers.get(params.customer ?? '')
  if (!customer) throw noSuch('customer', params.customer ?? '', 'customer')
  const items = details?.items ?? []
  const currency = params.currency ?? world.store.prices.get(items[0]?.price ?? '')?.currency ?? ''
  const priced = items.map(({ price = '', quantity = 1, metadata }, index) => ({
    price: findPrice(world, { id: price, currency, param: `subscription_details[items][${index}]` }),
    quantity,
    metadata: mergeMetadata(null, metadata),
  }))
  checkTogether(priced)
  const { invoice } = draftSubscription(world, {
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
