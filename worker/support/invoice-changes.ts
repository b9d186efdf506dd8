import Stripe from 'stripe'
import { failureOf } from '../../schema/api/failures.ts'
import type { ActOutcome } from '../../schema/api/support-acts.ts'
import { isOver } from '../../schema/vendors/stripe/statuses.ts'
import { PermanentError } from '../errors.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { type DoAct, onceAtStripe } from './act.ts'
import { fetchPlan } from './fetch-plan.ts'

/**
 * Bills what was changed at Stripe with `create_prorations` now instead of with the next renewal. An invoice
 * that names a subscription takes the items that wait for it (the SDK: `InvoiceCreateParams.subscription`).
 * A card that is refused leaves the invoice open, and Stripe tries again.
 */
export const invoiceChanges: DoAct = async (deps, act) => {
  const { target_id: id, requested_by, is_dry_run } = act
  const { status, customer } = await fetchPlan(deps, id)
  if (isOver({ status })) throw new PermanentError('has_state', { what: 'plan', state: status })
  const waiting = { id, customer, act }
  const invoice = is_dry_run ? await preview(deps.stripe, waiting) : await collect(deps.stripe, waiting)
  if (!invoice) return { note: failureOf('lacks', { what: 'waiting_change' }) }
  if (!is_dry_run) await syncSubject(deps, { of: 'subscription', id }, requested_by)
  return { did: true, invoice }
}

type Invoice = NonNullable<ActOutcome['invoice']>

interface Waiting {
  readonly id: string
  readonly customer: string
  readonly act: Parameters<DoAct>[1]
}

/** What waits for the subscription; null when nothing does. Taxes and coupons are not in the sum. */
async function preview(stripe: Stripe, { id, customer }: Waiting): Promise<Invoice | null> {
  const waiting: Stripe.InvoiceItem[] = []
  // The list cannot be asked for a subscription's: https://docs.stripe.com/api/invoiceitems/list
  for await (const item of stripe.invoiceItems.list({ customer, pending: true, limit: 100 })) {
    if (item.parent?.subscription_details?.subscription === id) waiting.push(item)
  }
  const total_minor = waiting.reduce((sum, { amount }) => sum + amount, 0)
  return waiting[0] ? { total_minor, currency: waiting[0].currency.toUpperCase(), refusal: null } : null
}

/** Null when nothing waited. A try that comes again gets the invoice of the first, by the act's id. */
async function collect(stripe: Stripe, { id, customer, act }: Waiting): Promise<Invoice | null> {
  const created = await stripe.invoices
    .create({ customer, subscription: id }, onceAtStripe(act))
    .catch((error: unknown) => {
      if (hasNothingToBill(error)) return null
      throw error
    })
  if (!created) return null
  const invoiceId = created.id ?? ''
  // What Stripe answered to the first try may be old.
  const found = await stripe.invoices.retrieve(invoiceId)
  const { status, total, currency } =
    found.status === 'draft'
      ? await stripe.invoices.finalizeInvoice(invoiceId, { auto_advance: true })
      : found
  const made = { total_minor: total, currency: currency.toUpperCase() }
  try {
    if (status === 'open') await stripe.invoices.pay(invoiceId)
    return { ...made, refusal: null }
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeCardError)) throw error
    return { ...made, refusal: error.message }
  }
}

/** https://docs.stripe.com/error-codes */
function hasNothingToBill(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'invoice_no_subscription_line_items'
  )
}
