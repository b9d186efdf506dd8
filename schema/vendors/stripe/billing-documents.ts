import type Stripe from 'stripe'
import type { InvoicedPlan } from '../../api/billing.ts'
import { planOfPrice } from './catalogue.ts'
import { checkoutMetadataSchema } from './metadata.ts'

/** An invoice of a plan, or a payment of credits with its own invoice and Stripe's receipt. */
export type StripeDocument =
  | { readonly kind: 'invoice'; readonly invoice: Stripe.Invoice }
  | {
      readonly kind: 'receipt'
      readonly session: Stripe.Checkout.Session
      /** Null while a bank has not said anything yet. */
      readonly charge: Stripe.Charge | null
      /** Null until the payment is there. */
      readonly invoice: Stripe.Invoice | null
    }

/** The last of each list that was shown; the next page starts below them. */
export interface DocumentsCursor {
  readonly invoice?: string | undefined
  readonly session?: string | undefined
}

export interface DocumentsPage {
  readonly documents: readonly StripeDocument[]
  /** Null when there is nothing older. */
  readonly next: DocumentsCursor | null
}

/**
 * A customer's invoices and receipts, newest first. Two lists of Stripe's are merged, both ordered by
 * creation: a checkout of credits says what became of its payment, also while it has no invoice yet, and an
 * invoice of a plan has no checkout of its own but for the first. Drafts and sessions of plans are skipped,
 * and so are the invoices of credits, which their sessions carry
 * (https://docs.stripe.com/payments/checkout/post-payment-invoices).
 */
export async function listStripeDocuments(
  stripe: Stripe,
  page: { customer: string; limit: number; after?: DocumentsCursor | undefined },
): Promise<DocumentsPage> {
  const { customer, limit, after = {} } = page
  const [invoices, sessions] = await Promise.all([
    stripe.invoices.list({
      customer,
      limit: limit + 1,
      ...(after.invoice && { starting_after: after.invoice }),
    }),
    stripe.checkout.sessions.list({
      customer,
      status: 'complete',
      limit: limit + 1,
      expand: ['data.invoice', 'data.payment_intent.latest_charge'],
      ...(after.session && { starting_after: after.session }),
    }),
  ])
  const documents: StripeDocument[] = []
  const last: { invoice?: string | undefined; session?: string | undefined } = { ...after }
  const queues = {
    invoice: [...invoices.data],
    session: [...sessions.data],
  }
  while (documents.length < limit) {
    const [invoice] = queues.invoice
    const [session] = queues.session
    // Beyond the end of a fetched list there may be documents newer than the rest of the other list.
    if ((!invoice && invoices.has_more) || (!session && sessions.has_more)) break
    if (!invoice && !session) return { documents, next: null }
    if (invoice && (!session || invoice.created >= session.created)) {
      queues.invoice.shift()
      last.invoice = invoice.id
      if (invoice.status !== 'draft' && !isOfSession(invoice)) documents.push({ kind: 'invoice', invoice })
    } else if (session) {
      queues.session.shift()
      last.session = session.id
      if (session.mode !== 'payment') continue
      const paid = typeof session.invoice === 'object' ? session.invoice : null
      documents.push({ kind: 'receipt', session, charge: chargeOf(session), invoice: paid })
    }
  }
  const isMore =
    queues.invoice.length > 0 || queues.session.length > 0 || invoices.has_more || sessions.has_more
  return { documents, next: isMore ? last : null }
}

/** Of credits: the checkout gave the invoice its intent, and no subscription is its parent. */
function isOfSession({ metadata, parent }: Stripe.Invoice): boolean {
  return parent === null && checkoutMetadataSchema.safeParse(metadata).success
}

function chargeOf({ payment_intent }: Stripe.Checkout.Session): Stripe.Charge | null {
  const charge = typeof payment_intent === 'object' ? payment_intent?.latest_charge : null
  return typeof charge === 'object' ? charge : null
}

/**
 * What an invoice of a plan is for. A period that it pays for goes before changes that it settles as well. A
 * change takes back what was charged for the seats before it and charges those after it
 * (https://docs.stripe.com/billing/subscriptions/prorations), so the difference is what was bought. Null for
 * another change, and for what is no plan of ours.
 */
export function planOfInvoice({ lines }: Pick<Stripe.Invoice, 'lines'>): InvoicedPlan | null {
  const ours = lines.data.flatMap((line) => {
    const product = line.pricing?.price_details?.product
    const plan_type = product ? planOfPrice({ lookup_key: null, product }) : null
    return plan_type ? [{ ...line, plan_type, seats: line.quantity ?? 1 }] : []
  })
  const [charged, credited] = [ours.filter((line) => !isCredit(line)), ours.filter(isCredit)]
  const period = charged.findLast(({ parent }) => parent?.subscription_item_details?.proration === false)
  const last = period ?? charged.at(-1) ?? ours.at(-1)
  if (!last) return null
  const { plan_type } = last
  const ends_at = new Date(last.period.end * 1000).toISOString()
  // A trial is a line without a price; a coupon is taken off the invoice, not off its line.
  if (period)
    return { plan_type, kind: period.amount === 0 ? 'trial' : 'period', seats: period.seats, ends_at }
  const seats = countSeats(charged) - countSeats(credited)
  return seats === 0 || credited.length > charged.length ? null : { plan_type, kind: 'seats', seats, ends_at }
}

/** The amount does not say it: a coupon for everything makes it zero. */
function isCredit({ amount, parent }: Stripe.InvoiceLineItem): boolean {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details
  return amount < 0 || Boolean(details?.proration_details?.credited_items)
}

function countSeats(lines: readonly { readonly seats: number }[]): number {
  return lines.reduce((sum, { seats }) => sum + seats, 0)
}
