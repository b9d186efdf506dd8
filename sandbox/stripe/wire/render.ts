import { firstEntries, wholeList } from '../entities/list.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCustomer, StoredEvent, StoredInvoice, StoredPrice, StoredSession } from '../state.ts'

type Json = Record<string, unknown>

/** An object as it is sent: without internal fields, with the requested references expanded. */
export function render(service: Service, value: object, expand: readonly string[] = []): Json {
  const shown = show(service, value as Json)
  for (const path of expand)
    expandPath(service, { target: shown, original: value as Json, path: path.split('.') }, path)
  return shown
}

function show(service: Service, value: Json): Json {
  switch (value.object) {
    case 'list':
      return { ...value, data: (value.data as Json[]).map((item) => show(service, item)) }
    case 'invoice': {
      const { lines } = value as unknown as StoredInvoice
      return { ...value, lines: firstEntries(lines) }
    }
    case 'price': {
      const { currency_options: _, ...shown } = value as unknown as StoredPrice
      return shown
    }
    case 'event': {
      const { id } = value as unknown as StoredEvent
      return { ...value, pending_webhooks: service.outbox.countPending(id) }
    }
    case 'customer': {
      const {
        deleted,
        invoice_credit_balance: _,
        known_tax_ids: __,
        ...shown
      } = value as unknown as StoredCustomer
      return deleted ? { id: value.id, object: 'customer', deleted: true } : shown
    }
    default:
      return { ...value }
  }
}

/** Where a reference leads, by the name of the field that holds it. */
const references = {
  charge: 'charges',
  customer: 'customers',
  configuration: 'portal_configurations',
  coupon: 'coupons',
  default_payment_method: 'payment_methods',
  default_price: 'prices',
  discount: 'discounts',
  discounts: 'discounts',
  invoice: 'invoices',
  latest_charge: 'charges',
  latest_invoice: 'invoices',
  payment_intent: 'payment_intents',
  payment_method: 'payment_methods',
  price: 'prices',
  product: 'products',
  schedule: 'subscription_schedules',
  subscription: 'subscriptions',
} as const

/** Fields that hold more than one object, or that are only included on request. */
const inclusions = new Set([
  'currency_options',
  'data',
  'invoice_credit_balance',
  'invoice_settings',
  'items',
  'line_items',
  'lines',
  'parent',
  'payment',
  'payments',
  'phases',
  'price_details',
  'pricing',
  'refunds',
  'source',
  'subscription_details',
  'total_discount_amounts',
])

/** Refuses a misspelt `expand` before the call does anything. */
export function checkExpand(paths: readonly string[]): void {
  for (const path of paths) {
    if (!path.split('.').every((field) => field in references || inclusions.has(field)))
      throw cannotExpand(path)
  }
}

function cannotExpand(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' })
}

type Step = { target: Json; original: Json; path: string[] }

function expandPath(service: Service, { target, original, path }: Step, whole: string): void {
  const [field, ...rest] = path
  if (field === undefined) return
  if (field === 'data' && target.object === 'list') {
    const originals = original.data as Json[]
    for (const [index, item] of (target.data as Json[]).entries()) {
      expandPath(service, { target: item, original: originals[index] ?? item, path: rest }, whole)
    }
    return
  }
  const several = original[field]
  if (Array.isArray(several)) {
    target[field] = several.map((one: Json | string) => {
      const found = typeof one === 'string' ? lookUp(service, { [field]: one }, field, whole) : one
      if (found === null) return one
      const shown = show(service, found)
      expandPath(service, { target: shown, original: found, path: rest }, whole)
      return shown
    })
    return
  }
  const found = lookUp(service, original, field, whole)
  if (found === null) return
  const shown = show(service, found)
  target[field] = shown
  expandPath(service, { target: shown, original: found, path: rest }, whole)
}

function lookUp(service: Service, original: Json, field: string, whole: string): Json | null {
  const { store } = service
  if (original.object === 'checkout.session' && field === 'line_items') {
    const { id } = original as unknown as StoredSession
    const items = store.checkout_details.get(id)?.line_items ?? []
    return wholeList(items, `/v1/checkout/sessions/${id}/line_items`) as unknown as Json
  }
  if (original.object === 'invoice' && field === 'payments') {
    const payments = store.invoice_payments.filter(({ invoice }) => invoice === original.id)
    return wholeList(payments, `/v1/invoice_payments?invoice=${original.id}`) as unknown as Json
  }
  if (original.object === 'price' && field === 'currency_options') {
    // Prices that others carry come without it.
    return (original.currency_options ??
      store.prices.get(String(original.id))?.currency_options ??
      null) as Json
  }
  if (original.object === 'invoice' && field === 'lines') {
    return firstEntries((original as unknown as StoredInvoice).lines) as unknown as Json
  }
  if (original.object === 'balance_transaction' && field === 'source') {
    const id = String(original.source)
    return (store.charges.get(id) ?? store.refunds.get(id) ?? store.disputes.get(id) ?? null) as Json | null
  }
  const value = original[field]
  if (value === null) return null
  if (typeof value === 'object') return value as Json
  const table = references[field as keyof typeof references]
  if (typeof value !== 'string' || !table) {
    throw cannotExpand(whole)
  }
  return (store[table].get(value) as Json | undefined) ?? null
}
