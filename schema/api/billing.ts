import * as z from 'zod/mini'
import { soldPlanTypeSchema } from '../catalogue/schemas.ts'
import { planOf } from '../catalogue/sold-plans.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'

/** What an invoice of a plan is for, where its lines say it. */
const invoicedPlanSchema = z.object({
  plan_type: soldPlanTypeSchema,
  /** `seats`: a change of their number for the rest of a period. */
  kind: z.enum(['trial', 'period', 'seats']),
  /** For `seats`, how many more; below zero, how many fewer. */
  seats: z.int(),
  ends_at: z.iso.datetime(),
})
export type InvoicedPlan = z.infer<typeof invoicedPlanSchema>

/** The title of such an invoice; `until` is the day of its end, as its reader writes it. */
export function describeInvoicedPlan({ plan_type, kind, seats }: InvoicedPlan, until: string): string {
  const { name, per_seat } = planOf(plan_type)
  const unit = Math.abs(seats) === 1 ? 'seat' : 'seats'
  if (kind === 'seats') return `${Math.abs(seats)} ${seats < 0 ? 'fewer' : 'more'} ${unit} until ${until}`
  const what = per_seat ? `${name}, ${seats} ${unit},` : name
  return kind === 'trial' ? `Free trial of ${what} until ${until}` : `${what} until ${until}`
}

export const billingDocumentSchema = z.object({
  /** Stripe's, of the invoice or of the checkout session. */
  id: z.string(),
  /** An invoice of a plan or of credits, or the receipt of credits that have no invoice. */
  kind: z.enum(['invoice', 'receipt']),
  /** On the invoice; a receipt has none. */
  number: z.nullable(z.string()),
  description: z.string(),
  /** Of a purchase of credits, which a page writes as its reader does; null for a plan. */
  credits: z.nullable(z.int()),
  /** Of an invoice of a plan, which a page titles likewise. */
  plan: z.nullable(invoicedPlanSchema),
  status: z.enum([
    'paid',
    'open',
    'processing',
    'failed',
    'void',
    'uncollectible',
    'refunded',
    'partially_refunded',
    'disputed',
    'dispute_lost',
  ]),
  amount_minor: z.int(),
  /** Upper case. */
  currency: z.string().check(z.length(3)),
  created_at: z.iso.datetime(),
  /** Stripe's page for it; null while there is none. */
  hosted_url: z.nullable(z.url()),
  pdf_url: z.nullable(z.url()),
})
export type BillingDocument = z.infer<typeof billingDocumentSchema>

/** A page may have fewer items than `limit`, or none, and still a `next_cursor`. */
export const listBillingDocuments = endpoint({
  method: 'GET',
  path: '/api/billing/invoices',
  summary: 'The invoices and receipts of a payer at Stripe, newest first; of an organization for its admins',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({
    payer: z._default(payerSchema, 'personal'),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(50)), 10),
    cursor: z.optional(z.string().check(z.maxLength(400))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ items: z.array(billingDocumentSchema), next_cursor: z.nullable(z.string()) }),
  }),
})
