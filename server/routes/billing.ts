import type Stripe from 'stripe'
import { z } from 'zod'
import { type BillingDocument, describeInvoicedPlan, listBillingDocuments } from '../../schema/api/billing.ts'
import type { QueryOf } from '../../schema/api/endpoint.ts'
import { findDisputeStates } from '../../schema/billing/charges/charges.ts'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import {
  listStripeDocuments,
  planOfInvoice,
  type StripeDocument,
} from '../../schema/vendors/stripe/billing-documents.ts'
import type { DisputeState } from '../../schema/vendors/stripe/statuses.ts'
import { cursorOf } from '../cursor.ts'
import type { Dependencies } from '../dependencies.ts'
import { invoicesFailure } from '../failures.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'

export const billingRoutes = [
  route(listBillingDocuments, {
    rights: thePayer({ doing: 'view billing settings' }),
    failure: invoicesFailure('Failed to load invoices. Your payments and credits are not affected.'),
  }).handle(async ({ query, owner_id }, deps) => {
    const { documents, next_cursor } = await readDocuments(deps, owner_id, query)
    return { success: true, data: { items: documents.map(({ shown }) => shown), next_cursor } }
  }),
]

/** An owner's documents at Stripe with what the owner is shown of each, for the owner and for support. */
export async function readDocuments(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  owner_id: string,
  query: Pick<QueryOf<typeof listBillingDocuments>, 'limit' | 'cursor'>,
) {
  const after = query.cursor === undefined ? undefined : documentsCursor.decode(query.cursor)
  const customer = await findStripeCustomer(db, owner_id)
  // An owner without purchases has no customer at Stripe, and reading creates none.
  if (!customer) return { documents: [], next_cursor: null }
  const { documents, next } = await listStripeDocuments(stripe, { customer, limit: query.limit, after })
  const charges = documents.flatMap((one) => (one.kind === 'receipt' && one.charge ? [one.charge.id] : []))
  const disputes = await findDisputeStates(db, owner_id, charges)
  return {
    documents: documents.map((one) => ({ document: one, shown: presentDocument(one, disputes) })),
    next_cursor: next && documentsCursor.encode(next),
  }
}

type Disputes = ReadonlyMap<string, DisputeState>

function presentDocument(document: StripeDocument, disputes: Disputes): BillingDocument {
  if (document.kind === 'receipt') return presentReceipt(document, disputes)
  const { invoice } = document
  const plan = planOfInvoice(invoice)
  return {
    id: invoice.id ?? '',
    kind: 'invoice',
    number: invoice.number,
    description: plan ? describeInvoicedPlan(plan, plan.ends_at.slice(0, 10)) : otherTitleOf(invoice),
    credits: null,
    plan,
    status: invoiceStatuses.find((status) => status === invoice.status) ?? 'open',
    amount_minor: invoice.total,
    currency: invoice.currency.toUpperCase(),
    created_at: timeOf(invoice.created),
    hosted_url: invoice.hosted_invoice_url ?? null,
    pdf_url: invoice.invoice_pdf ?? null,
  }
}

/** Of what a person invoiced by hand, its text; Stripe's words for a proration are no title. */
function otherTitleOf({ lines }: Stripe.Invoice): string {
  const isOfPlan = lines.data.some(
    ({ parent }) => parent?.subscription_item_details ?? parent?.invoice_item_details?.proration,
  )
  return isOfPlan ? 'Change of the plan' : (lines.data[0]?.description ?? 'Invoice')
}

const invoiceStatuses = ['paid', 'open', 'void', 'uncollectible'] as const

function presentReceipt(
  { session, charge, invoice }: Extract<StripeDocument, { readonly kind: 'receipt' }>,
  disputes: Disputes,
): BillingDocument {
  const credits = session.metadata?.credits ? Number(session.metadata.credits) : null
  return {
    id: session.id,
    kind: invoice ? 'invoice' : 'receipt',
    number: invoice?.number ?? charge?.receipt_number ?? null,
    description: credits === null ? 'Payment' : `${credits.toLocaleString('en-US')} credits`,
    credits,
    plan: null,
    status: charge ? statusOf(charge, disputes.get(charge.id)) : 'processing',
    amount_minor: session.amount_total ?? charge?.amount ?? 0,
    currency: (session.currency ?? charge?.currency ?? 'eur').toUpperCase(),
    created_at: timeOf(charge?.created ?? session.created),
    hosted_url: invoice?.hosted_invoice_url ?? charge?.receipt_url ?? null,
    pdf_url: invoice?.invoice_pdf ?? null,
  }
}

type Charge = NonNullable<Extract<StripeDocument, { readonly kind: 'receipt' }>['charge']>

function statusOf(
  { status, refunded, amount_refunded, disputed }: Charge,
  // What we have not heard of yet is open.
  dispute: DisputeState | undefined = disputed ? 'open' : undefined,
): BillingDocument['status'] {
  if (status === 'failed') return 'failed'
  if (status === 'pending') return 'processing'
  if (dispute === 'open') return 'disputed'
  if (dispute === 'lost') return 'dispute_lost'
  if (refunded) return 'refunded'
  return amount_refunded > 0 ? 'partially_refunded' : 'paid'
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

const documentsCursor = cursorOf(
  z.strictObject({
    invoice: z
      .string()
      .regex(/^in_\w{1,250}$/)
      .optional(),
    session: z
      .string()
      .regex(/^cs_\w{1,250}$/)
      .optional(),
  }),
)
