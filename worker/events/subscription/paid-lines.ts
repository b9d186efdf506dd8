import type Stripe from 'stripe'
import { z } from 'zod'
import type { PaidLine } from '../../../schema/position/facts.ts'

/** A paid invoice of a subscription, with all its lines. Only refunds can still change it. */
export interface PaidInvoice {
  readonly id: string
  /** What it cost in minor units, after discounts, including any part that a credit balance paid. */
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
  pricing: z.object({ price_details: z.object({ product: z.string() }).nullish() }).nullish(),
})
type Line = z.infer<typeof lineSchema>

const invoiceSchema = z.object({
  id: z.string(),
  total: z.int(),
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
 * Every paid invoice of a subscription, each with all its lines. One call, and one more for each invoice with
 * many lines.
 */
export async function fetchPaidInvoices(
  stripe: Stripe,
  subscriptionId: string,
  plan: PlanItem,
): Promise<PaidInvoice[]> {
  const invoices: PaidInvoice[] = []
  for await (const invoice of stripe.invoices.list({
    subscription: subscriptionId,
    status: 'paid',
    limit: 100,
  })) {
    const lines: unknown[] = invoice.lines.has_more ? [] : invoice.lines.data
    if (invoice.lines.has_more) {
      for await (const line of stripe.invoices.listLineItems(invoice.id ?? '', { limit: linesPerCall })) {
        lines.push(line)
      }
    }
    invoices.push(paidInvoiceOf(invoice, lines, plan))
  }
  return invoices
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
  const changes = seatChangesOf(lines.filter(isProration), fields)
  return {
    id: invoice.id,
    total_minor: invoice.total,
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
 * the number goes to what is charged by now.
 */
function seatChangesOf(lines: readonly Line[], fields: { invoice_id: string; paid_at: Date }): PaidLine[] {
  const moments = [...Map.groupBy(lines, ({ period }) => period.start.getTime())].toSorted(
    ([a], [b]) => a - b,
  )
  const changes: PaidLine[] = []
  let charge: Line | undefined
  for (const [moment, group] of moments) {
    const { charged, credited } = netOf(group)
    charge = charged ?? charge
    if (!charge || charge.quantity === null || charge.quantity === credited) continue
    changes.push({
      ...fields,
      kind: 'seats',
      starts_at: new Date(moment),
      ends_at: charge.period.end,
      seats: charge.quantity,
      seats_before: credited,
      amount_minor: charged?.amount ?? 0,
    })
  }
  return changes
}

/**
 * What is left of several changes in one second: the last quantity that is charged, and the first that is
 * credited, which is what there was before; null when several are, because it is unknown then.
 */
function netOf(group: readonly Line[]): { charged: Line | undefined; credited: number | null } {
  const credited = group.filter(isCredit).map(({ quantity }) => quantity)
  const charged = group.filter((line) => {
    if (isCredit(line) || line.quantity === null) return false
    const index = credited.indexOf(line.quantity)
    if (index >= 0) credited.splice(index, 1)
    return index < 0
  })
  const [last] = charged.toSorted((a, b) => (b.quantity ?? 0) - (a.quantity ?? 0))
  return { charged: last, credited: credited.length === 1 ? (credited[0] ?? null) : null }
}
