import type Stripe from 'stripe'
import { z } from 'zod'
import type { PaidLine, PendingLine } from '../../../schema/billing/position/facts.ts'
import type { SubscriptionSnapshot } from '../../../schema/billing/subscriptions/snapshots.ts'

/** What was billed for a subscription, and what waits to be. */
export interface Bills {
  readonly invoices: readonly PaidInvoice[]
  readonly pending: readonly PendingLine[]
  /** The starts of periods that are not asked for any more: their invoices are void or uncollectible. */
  readonly waived: readonly Date[]
  /** A draft waits for an address of its customer. */
  readonly lacks_tax_location: boolean
  readonly unpaid: UnpaidInvoice
}

/** The newest invoice that is open, as a subscription's row has it. */
type UnpaidInvoice = Pick<
  SubscriptionSnapshot,
  | 'unpaid_invoice_id'
  | 'unpaid_invoice_url'
  | 'needs_confirmation'
  | 'unpaid_minor'
  | 'unpaid_decline_code'
  | 'unpaid_declined_at'
  | 'unpaid_next_attempt_at'
>

const nothingUnpaid: UnpaidInvoice = {
  unpaid_invoice_id: null,
  unpaid_invoice_url: null,
  needs_confirmation: false,
  unpaid_minor: null,
  unpaid_decline_code: null,
  unpaid_declined_at: null,
  unpaid_next_attempt_at: null,
}

/** A paid invoice of a subscription, with all its lines. Only refunds can still change it. */
export interface PaidInvoice {
  readonly id: string
  /**
   * What it cost in minor units, after discounts and credit notes before the payment, including any part that
   * a credit balance paid. A credit note leaves the invoice's `total` as it was
   * (https://docs.stripe.com/api/credit_notes/create).
   */
  readonly total_minor: number
  readonly amount_paid_minor: number
  /** As ours are written, e.g. `EUR`. */
  readonly currency: string
  readonly paid_at: Date
  readonly lines: readonly PaidLine[]
}

const seconds = z.number().transform((value) => new Date(value * 1000))

const itemDetailsSchema = z.object({
  subscription_item: z.string().nullish(),
  proration: z.boolean(),
  proration_details: z.object({ credited_items: z.unknown() }).nullish(),
})
const pricingSchema = z.object({ price_details: z.object({ product: z.string() }).nullish() }).nullish()

const lineSchema = z.object({
  amount: z.int(),
  quantity: z.int().nullable(),
  period: z.object({ start: seconds, end: seconds }),
  parent: z
    .object({
      subscription_item_details: itemDetailsSchema.nullish(),
      invoice_item_details: itemDetailsSchema.nullish(),
    })
    .nullable(),
  // Stripe.InvoiceLineItem.Pricing: the product's id, which no answer expands.
  pricing: pricingSchema,
})
type Line = z.infer<typeof lineSchema>

const invoiceSchema = z.object({
  id: z.string(),
  total: z.int(),
  pre_payment_credit_notes_amount: z.int(),
  amount_paid: z.int(),
  created: seconds,
  status_transitions: z.object({ paid_at: seconds.nullable() }),
  currency: z.string().transform((code) => code.toUpperCase()),
})

/** The subscription's item that is the plan, and the product that its price sells. */
export interface PlanItem {
  readonly item_id: string
  readonly product_id: string
}

/**
 * Lines that come with an invoice; the rest has to be fetched (https://docs.stripe.com/api/invoices/object,
 * `lines`).
 */
const linesPerCall = 100

/**
 * Every paid invoice of a subscription with all its lines, and the prorations that are not paid yet: those
 * that wait for an invoice, and those that have waited for one that is not paid. Two calls, and one more for
 * each invoice with many lines.
 */
export async function fetchBills(
  stripe: Stripe,
  { id, customer_id, plan }: { readonly id: string; readonly customer_id: string; readonly plan: PlanItem },
): Promise<Bills> {
  const invoices: PaidInvoice[] = []
  const pending: Line[] = []
  const waived: Date[] = []
  let open: Stripe.Invoice | undefined
  let lacks_tax_location = false
  for await (const invoice of stripe.invoices.list({ subscription: id, limit: 100 })) {
    const { status, billing_reason, last_finalization_error: refusal } = invoice
    if (status === 'draft' && refusal?.code === 'customer_tax_location_invalid') lacks_tax_location = true
    // Stripe lists the newest first.
    if (status === 'open') open ??= invoice
    // What is charged at once takes effect when it is paid; a void invoice gave nothing back. Nothing is
    // charged at once while collection is paused: https://docs.stripe.com/billing/subscriptions/pause-payment
    const isCharged = billing_reason !== 'subscription_cycle' && billing_reason !== 'manual'
    const hasWaited = status === 'draft' || !isCharged
    if (status === 'paid') {
      invoices.push(paidInvoiceOf(invoice, await linesOf(stripe, invoice), plan))
      continue
    }
    const isWaived = status === 'void' || status === 'uncollectible'
    const isPending = hasWaited && status !== 'void'
    if (!isWaived && !isPending) continue
    const lines = z.array(lineSchema).parse(await linesOf(stripe, invoice))
    if (isPending) pending.push(...lines)
    if (isWaived) {
      const periods = lines.filter((line) => isPeriod(line) && isOfPlan(line, plan))
      waived.push(...periods.map(({ period }) => period.start))
    }
  }
  // The list cannot be asked for a subscription's: https://docs.stripe.com/api/invoiceitems/list
  for await (const item of stripe.invoiceItems.list({ customer: customer_id, pending: true, limit: 100 })) {
    const line = lineOfItem(pendingItemSchema.parse(item), id)
    if (line) pending.push(line)
  }
  const ours = pending.filter((line) => isProration(line) && isOfPlan(line, plan))
  return {
    invoices,
    pending: seatChangesOf(ours).filter((line) => line.starts_at < line.ends_at),
    waived,
    lacks_tax_location,
    unpaid: open ? await fetchUnpaid(stripe, open) : nothingUnpaid,
  }
}

/**
 * What its customer has to do (3D Secure), and why the bank refused the latest attempt: Stripe.PaymentIntent
 * (https://docs.stripe.com/payments/paymentintents/lifecycle).
 */
async function fetchUnpaid(
  stripe: Stripe,
  { id = '', hosted_invoice_url, amount_remaining, next_payment_attempt }: Stripe.Invoice,
): Promise<UnpaidInvoice> {
  const { data } = await stripe.invoicePayments.list({
    invoice: id,
    limit: 1,
    // The charge of the latest attempt has its time; the error has not (Stripe.PaymentIntent.latest_charge).
    expand: ['data.payment.payment_intent.latest_charge'],
  })
  const intent = data[0]?.payment.payment_intent
  const { status, last_payment_error: error, latest_charge } = typeof intent === 'object' ? intent : {}
  const declined = typeof latest_charge === 'object' && latest_charge?.status === 'failed' && latest_charge
  return {
    unpaid_invoice_id: id,
    unpaid_invoice_url: hosted_invoice_url ?? null,
    needs_confirmation: status === 'requires_action',
    unpaid_minor: amount_remaining,
    unpaid_decline_code: error?.decline_code ?? error?.code ?? null,
    unpaid_declined_at: declined ? new Date(declined.created * 1000) : null,
    unpaid_next_attempt_at: next_payment_attempt === null ? null : new Date(next_payment_attempt * 1000),
  }
}

async function linesOf(stripe: Stripe, { id, lines }: Stripe.Invoice): Promise<unknown[]> {
  if (!lines.has_more) return lines.data
  const all: unknown[] = []
  for await (const line of stripe.invoices.listLineItems(id ?? '', { limit: linesPerCall })) all.push(line)
  return all
}

/** Stripe.InvoiceItem: what becomes a line of the next invoice. */
const pendingItemSchema = z.object({
  amount: z.int(),
  quantity: z.int().nullable(),
  period: lineSchema.shape.period,
  proration: z.boolean(),
  proration_details: itemDetailsSchema.shape.proration_details,
  pricing: pricingSchema,
  parent: z
    .object({
      subscription_details: z
        .object({ subscription: z.string(), subscription_item: z.string().nullish() })
        .nullish(),
    })
    .nullish(),
})

function lineOfItem(
  { parent, proration, proration_details, ...line }: z.infer<typeof pendingItemSchema>,
  subscriptionId: string,
): Line | null {
  const details = parent?.subscription_details
  if (details?.subscription !== subscriptionId) return null
  const { subscription_item } = details
  return {
    ...line,
    parent: { subscription_item_details: { subscription_item, proration, proration_details } },
  }
}

/** Reads a paid invoice; one may hold a period and prorated changes both, and lines of other items. */
export function paidInvoiceOf(raw: unknown, rawLines: readonly unknown[], plan: PlanItem): PaidInvoice {
  const invoice = invoiceSchema.parse(raw)
  const lines = z
    .array(lineSchema)
    .parse(rawLines)
    .filter((line) => isOfPlan(line, plan))
  const paid_at = invoice.status_transitions.paid_at ?? invoice.created
  const fields = { invoice_id: invoice.id, paid_at }
  const periods = lines.filter(isPeriod).map(
    (line): PaidLine => ({
      ...fields,
      kind: 'period',
      starts_at: line.period.start,
      ends_at: line.period.end,
      seats: line.quantity ?? 1,
      seats_before: null,
      amount_minor: line.amount,
    }),
  )
  const changes = seatChangesOf(lines.filter(isProration)).map((line) => ({ ...fields, ...line }))
  return {
    id: invoice.id,
    total_minor: invoice.total - invoice.pre_payment_credit_notes_amount,
    amount_paid_minor: Math.max(0, invoice.amount_paid),
    currency: invoice.currency,
    paid_at,
    // A change in the very second in which its period ends paid for nothing.
    lines: [...periods, ...changes].filter((line) => line.starts_at < line.ends_at),
  }
}

/** The plan's item may have been replaced by another of its product, which its earlier lines still name. */
function isOfPlan(line: Line, { item_id, product_id }: PlanItem): boolean {
  return detailsOf(line)?.subscription_item === item_id || line.pricing?.price_details?.product === product_id
}

/** Only the subscription's own item makes a period; an invoice item that was added by hand does not. */
function isPeriod(line: Line): boolean {
  return line.parent?.subscription_item_details?.proration === false
}

function isProration(line: Line): boolean {
  return detailsOf(line)?.proration === true
}

/**
 * Whether a proration takes back what was charged before. The amount does not say it: a coupon for everything
 * makes it zero.
 */
function isCredit(line: Line): boolean {
  return line.amount < 0 || Boolean(detailsOf(line)?.proration_details?.credited_items)
}

function detailsOf({ parent }: Line): z.infer<typeof itemDetailsSchema> | null | undefined {
  return parent?.subscription_item_details ?? parent?.invoice_item_details
}

/**
 * Each change of seats that an invoice charges for, by its moment. Stripe takes back what was charged before
 * and charges the new quantity for the rest of the period. A change with effect from before another one takes
 * that one's charge back at its own moment, in a line that has no charge beside it (flexible billing): there
 * the number goes to what is charged by now. Where all of that is taken back, the money for the rest of the
 * period goes back: a cut.
 */
function seatChangesOf(lines: readonly Line[]): PendingLine[] {
  const moments = [...Map.groupBy(lines, ({ period }) => period.start.getTime())].toSorted(
    ([a], [b]) => a - b,
  )
  const changes: PendingLine[] = []
  let charge: Line | undefined
  let cut: PendingLine | undefined
  for (const [moment, group] of moments) {
    const starts_at = new Date(moment)
    const { charged, credits } = netOf(group)
    const back = charged ? undefined : credits.find((credit) => !charge || isAllOf(credit, charge))
    if (back) {
      charge = undefined
      const { period, amount } = back
      cut = {
        kind: 'cut',
        starts_at: cut?.starts_at ?? starts_at,
        ends_at: period.end,
        seats: back.quantity ?? 1,
        seats_before: null,
        amount_minor: amount + (cut?.amount_minor ?? 0),
      }
      continue
    }
    charge = charged ?? charge
    const credited = credits.length === 1 ? (credits[0]?.quantity ?? null) : null
    if (!charge || charge.quantity === null || charge.quantity === credited) continue
    changes.push({
      kind: 'seats',
      starts_at,
      ends_at: charge.period.end,
      seats: charge.quantity,
      seats_before: credited,
      amount_minor: charged?.amount ?? 0,
    })
  }
  return cut ? [...changes, cut] : changes
}

function isAllOf(credit: Line, charge: Line): boolean {
  return credit.quantity === charge.quantity && credit.period.end.getTime() === charge.period.end.getTime()
}

/**
 * What is left of several changes in one second: the last quantity that is charged, and the credits for what
 * was charged before it. Of one credit that is what there was before; of several it is unknown.
 */
function netOf(group: readonly Line[]): { charged: Line | undefined; credits: readonly Line[] } {
  const credits = group.filter(isCredit)
  const charged = group.filter((line) => {
    if (isCredit(line) || line.quantity === null) return false
    const index = credits.findIndex(({ quantity }) => quantity === line.quantity)
    if (index >= 0) credits.splice(index, 1)
    return index < 0
  })
  const [last] = charged.toSorted((a, b) => (b.quantity ?? 0) - (a.quantity ?? 0))
  return { charged: last, credits }
}
