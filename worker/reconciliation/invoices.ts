import { z } from 'zod'
import type { Database } from '../../schema/database/connect.ts'
import { findRows } from '../../schema/database/find-rows.ts'
import { cataloguePrices } from '../../schema/vendors/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import {
  dayMs,
  fromSeconds,
  isYoung,
  madeSince,
  pagesOf,
  replayOf,
  type UnconfirmedDifference,
} from './comparison.ts'

/**
 * Stripe tries a card for up to two months: https://docs.stripe.com/billing/revenue-recovery/smart-retries.
 */
const longestPaymentMs = 62 * dayMs

const itemSchema = z.object({ proration: z.boolean() }).nullish()
const lineSchema = z.object({
  amount: z.int(),
  period: z.object({ start: z.int(), end: z.int() }),
  parent: z.object({ subscription_item_details: itemSchema, invoice_item_details: itemSchema }).nullable(),
  pricing: z.object({ price_details: z.object({ product: z.string() }).nullish() }).nullish(),
})

const invoiceSchema = z.object({
  id: z.string(),
  total: z.int(),
  pre_payment_credit_notes_amount: z.int(),
  amount_paid: z.int(),
  currency: z.string(),
  created: z.int(),
  status_transitions: z.object({ paid_at: z.int().nullable() }),
  parent: z
    .object({
      subscription_details: z
        .object({
          subscription: stripeReferenceSchema,
          metadata: z.record(z.string(), z.string()).nullable(),
        })
        .nullish(),
    })
    .nullable(),
  lines: z.object({ has_more: z.boolean(), data: z.array(lineSchema) }),
})
type Invoice = z.infer<typeof invoiceSchema>

/** Every invoice of a plan that is paid at Stripe has its lines here, and the same total. */
export const invoices = pagesOf({
  name: 'invoices',
  list: (context, page) =>
    context.deps.stripe.invoices.list({ status: 'paid', ...madeSince(context, longestPaymentMs), ...page }),
  compare: ({ deps, now }, listed) => compareInvoices(deps.db, listed, now),
})

export async function compareInvoices(
  db: Database,
  listed: readonly unknown[],
  now: Date,
): Promise<{ count: number; differences: UnconfirmedDifference[] }> {
  const ofSubscriptions = z
    .array(invoiceSchema)
    .parse(listed)
    .flatMap((invoice) => {
      const details = invoice.parent?.subscription_details
      const intentId = z.uuid().safeParse(details?.metadata?.intentId).data ?? null
      return details ? [{ invoice, intentId, subscriptionId: details.subscription }] : []
    })
  const ids = ofSubscriptions.map(({ subscriptionId }) => subscriptionId)
  const subscriptions = await findRows(db, 'subscriptions', 'stripe_subscription_id', ids)
  // By our row of the subscription, or by its metadata, which may have been removed.
  const ours = ofSubscriptions.filter(
    ({ intentId, subscriptionId }) => intentId !== null || subscriptions.has(subscriptionId),
  )
  const invoiceIds = ours.map(({ invoice }) => invoice.id)
  const lines = await findRows(db, 'paid_invoice_lines', 'stripe_invoice_id', invoiceIds)
  const intentIds = ours.flatMap(({ intentId }) => intentId ?? [])
  const intents = await findRows(db, 'checkout_intents', 'id', intentIds)
  const differences = ours.flatMap((one): UnconfirmedDifference | [] => {
    const { invoice, intentId, subscriptionId } = one
    if (isYoung(fromSeconds(invoice.status_transitions.paid_at ?? invoice.created), now)) return []
    const owner = subscriptions.get(subscriptionId) ?? intents.get(intentId ?? '')
    const known = lines.get(invoice.id)?.total_minor
    return differenceOf(one, { owner_id: owner?.owner_id ?? null, known }) ?? []
  })
  return { count: ours.length, differences }
}

function differenceOf(
  {
    invoice,
    intentId,
    subscriptionId,
  }: { invoice: Invoice; intentId: string | null; subscriptionId: string },
  { owner_id, known }: { owner_id: string | null; known: number | undefined },
): UnconfirmedDifference | undefined {
  const { id } = invoice
  // A credit note before the payment leaves the total as it was.
  const total = invoice.total - invoice.pre_payment_credit_notes_amount
  const currency = invoice.currency.toUpperCase()
  const paid = { amount_minor: total, currency }
  const common = { object_id: id, owner_id, refs: [id, subscriptionId, intentId] }
  if (known === undefined && paysForSomething(invoice)) {
    return {
      ...common,
      kind: 'invoice_unknown',
      data: { total: paid },
      money: paid,
      repair: replayOf('subscription', subscriptionId),
    }
  }
  if (known === undefined || known === total) return undefined
  return {
    ...common,
    kind: 'invoice_differs',
    data: { total: paid, known_minor: known },
    money: { amount_minor: total - known, currency },
  }
}

/**
 * A period, or seats that cost something. Items that were added by hand bring nothing, nor do add-ons or
 * changes that cancel out.
 */
function paysForSomething({ lines }: Invoice): boolean {
  if (lines.has_more) return true
  let prorated = 0
  for (const { parent, period, amount, pricing } of lines.data) {
    if (period.start >= period.end) continue
    if (!isPlanProduct(pricing?.price_details?.product)) continue
    if (parent?.subscription_item_details?.proration === false) return true
    const details = parent?.subscription_item_details ?? parent?.invoice_item_details
    if (details?.proration) prorated += amount
  }
  return prorated > 0
}

function isPlanProduct(product: string | undefined): boolean {
  return cataloguePrices.some(({ product_id }) => product_id === product)
}
