import type { Router } from '@koa/router'
import { z } from 'zod'
import { collectInvoice } from '../entities/collect-invoice.ts'
import { findCustomer } from '../entities/customer.ts'
import { finalizeInvoice } from '../entities/finalize-invoice.ts'
import { markUncollectible, subscriptionOf, voidInvoice } from '../entities/invoice.ts'
import { checkMethod } from '../entities/payment-method.ts'
import { previewUpdate } from '../entities/preview-invoice.ts'
import { payOutOfBand } from '../entities/settle-invoice.ts'
import { cardError, invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { flag, integer, isWithin, pagination, range, text } from '../wire/params.ts'
import { previewParams } from '../wire/subscription-params.ts'
import { putUpdated, resource } from './resource.ts'
import { findSubscription, readItems } from './subscriptions.ts'

const longest_schedule_s = 5 * 365 * 86_400

export function invoiceRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  call('POST /v1/invoices/create_preview', previewParams, ({ params }) => preview(service, params))

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
    changes: { auto_advance: flag.optional(), automatically_finalizes_at: integer.optional() },
    update: (invoice, { params, cause }) => scheduleFinalization(service, invoice, { ...params, cause }),
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

  call('GET /v1/invoices/:id/lines', pagination, ({ id, params }) =>
    pageOf(find(id).lines.data, params, { url: `/v1/invoices/${id}/lines`, noun: 'line item' }),
  )

  const payParams = {
    off_session: flag.optional(),
    paid_out_of_band: flag.optional(),
    payment_method: text.optional(),
  }
  call('POST /v1/invoices/:id/pay', payParams, ({ id, params, cause }) => {
    const found = find(id)
    if (found.status === 'paid') throw invalidRequest('Invoice is already paid')
    if (found.status === 'void') throw invalidRequest('Invoice is void; it can no longer be paid.')
    findCustomer(service, found.customer, 'customer')
    // A draft is finalized first; a credit of the customer's may have paid it then.
    const invoice = found.status === 'draft' ? finalizeInvoice(service, found, { cause }) : found
    if (invoice.status === 'paid') return invoice
    if (params.paid_out_of_band) return payOutOfBand(service, invoice, cause)
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
  })

  call('POST /v1/invoices/:id/finalize', { auto_advance: flag.optional() }, ({ id, params, cause }) => {
    const invoice = find(id)
    if (invoice.status !== 'draft') {
      throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.", {
        code: 'invoice_not_editable',
      })
    }
    const auto_advance = params.auto_advance ?? invoice.auto_advance ?? false
    const open = finalizeInvoice(service, { ...invoice, auto_advance }, { cause })
    if (open.status !== 'open' || !auto_advance) return open
    return collectInvoice(service, open, { is_automatic: true, cause }).invoice
  })

  // https://docs.stripe.com/api/invoices/mark_uncollectible
  call('POST /v1/invoices/:id/mark_uncollectible', {}, ({ id, cause }) =>
    markUncollectible(service, find(id), { reason: null, cause }),
  )

  call('POST /v1/invoices/:id/void', {}, ({ id, cause }) => voidInvoice(service, find(id), cause))
}

type Scheduling = {
  auto_advance?: boolean | undefined
  automatically_finalizes_at?: number | undefined
  cause: Cause
}

/**
 * Moves the end of a draft's grace period: to the future, at most five years away, and only of a draft that
 * is finalized without a call (https://docs.stripe.com/invoicing/scheduled-finalization); or has it wait for a call
 * (`auto_advance`, https://docs.stripe.com/invoicing/integration/automatic-advancement-collection).
 */
function scheduleFinalization(
  service: Service,
  invoice: StoredInvoice,
  { auto_advance, automatically_finalizes_at: at, cause }: Scheduling,
): StoredInvoice {
  const param = 'automatically_finalizes_at'
  if (invoice.status !== 'draft') {
    throw invalidRequest("This invoice is already finalized, so it can't be scheduled.", {
      code: 'invoice_not_editable',
    })
  }
  if (at !== undefined && !invoice.auto_advance)
    throw invalidRequest('A scheduled invoice needs `auto_advance`.', { param })
  const ahead_s = at === undefined ? 1 : at - service.clock.now()
  if (ahead_s <= 0 || ahead_s > longest_schedule_s) {
    throw invalidRequest('The time must be in the future, at most five years away.', { param })
  }
  return putUpdated(service, service.store.invoices, {
    before: invoice,
    changes: { automatically_finalizes_at: at ?? null, ...(auto_advance !== undefined && { auto_advance }) },
    metadata: undefined,
    event: 'invoice.updated',
    cause,
  })
}

/** The next invoice of a subscription, with or without a change. */
function preview(service: Service, params: Asked<typeof previewParams>): StoredInvoice {
  const details = params.subscription_details
  const scheduled = service.store.subscription_schedules.get(params.schedule)?.subscription
  // Whether the preview of a subscription knows its schedule is not documented: here it does not.
  const subscription = scheduled
    ? findSubscription(service, String(scheduled))
    : { ...findSubscription(service, params.subscription ?? ''), schedule: null }
  return previewUpdate(service, subscription, {
    ends_trial: false,
    items: readItems(details?.items ?? []),
    proration_behavior: details?.proration_behavior ?? 'create_prorations',
    proration_date: details?.proration_date ?? null,
  })
}
