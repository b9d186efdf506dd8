import { z } from 'zod'
import type { BillingFrequency } from '../../../schema/catalogue/plans.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { planItemOf } from '../../../schema/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../../schema/stripe/events.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '../../../schema/stripe/statuses.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { PermanentError } from '../../errors.ts'
import { fetchPaidInvoices, type PaidInvoice } from './paid-lines.ts'

/** A subscription as Stripe has it at one moment, with all that was ever paid for it. */
export interface FetchedSubscription {
  /** Drawn before Stripe was called, so that an older snapshot never replaces a newer one. */
  readonly snapshot_order: number
  readonly id: string
  readonly customer_id: string
  readonly intent_id: string
  readonly status: SubscriptionStatus
  readonly billing_frequency: BillingFrequency
  readonly seats: number
  readonly current_period_start: Date
  readonly current_period_end: Date
  readonly trial_end: Date | null
  readonly cancel_at: Date | null
  readonly ended_at: Date | null
  /** What waits for the next period. */
  readonly scheduled: { readonly seats: number; readonly at: Date } | null
  readonly invoices: readonly PaidInvoice[]
}

const seconds = z.number().transform((value) => new Date(value * 1000))

const itemSchema = z.object({
  id: z.string(),
  quantity: z.int().min(1).default(1),
  current_period_start: seconds,
  current_period_end: seconds,
  price: z.object({
    id: z.string(),
    lookup_key: z.string().nullable(),
    product: stripeReferenceSchema,
    recurring: z.object({ interval: z.enum(['month', 'year']) }),
  }),
})
type Item = z.infer<typeof itemSchema>

const scheduleSchema = z.object({
  current_phase: z.object({ end_date: z.number() }).nullable(),
  phases: z.array(
    z.object({
      start_date: z.number(),
      items: z.array(z.object({ price: stripeReferenceSchema, quantity: z.int().min(1).optional() })),
    }),
  ),
})

/** Of one that is not ours no other form is expected. */
const markSchema = z.object({ metadata: z.record(z.string(), z.string()) })

const subscriptionSchema = z.object({
  id: z.string(),
  customer: stripeReferenceSchema,
  status: z.enum(subscriptionStatuses),
  cancel_at: seconds.nullable(),
  cancel_at_period_end: z.boolean(),
  ended_at: seconds.nullable(),
  trial_end: seconds.nullable(),
  items: z.object({ data: z.array(itemSchema) }),
  schedule: scheduleSchema.nullable(),
})

/**
 * Fetches a subscription and its paid invoices. Undefined when it was not started by us. Two calls, and more
 * when it has over a hundred invoices or an invoice has many lines. Throws PermanentError for one that was
 * changed into something we do not sell.
 */
export async function fetchSubscription(
  deps: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
): Promise<FetchedSubscription | undefined> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const retrieved = await deps.stripe.subscriptions.retrieve(id, { expand: ['schedule'] })
  const intentId = markSchema.parse(retrieved).metadata.intentId
  if (!intentId) return undefined
  const subscription = subscriptionSchema.parse(retrieved)
  const item = planItemOf(subscription.items.data)
  if (!item) throw new PermanentError(`Not one item of subscription ${id} is a plan, but none or several`)
  return {
    snapshot_order,
    id: subscription.id,
    customer_id: subscription.customer,
    intent_id: intentId,
    status: subscription.status,
    billing_frequency: item.price.recurring.interval === 'year' ? 'yearly' : 'monthly',
    seats: item.quantity,
    current_period_start: item.current_period_start,
    current_period_end: item.current_period_end,
    trial_end: subscription.trial_end,
    cancel_at: subscription.cancel_at ?? (subscription.cancel_at_period_end ? item.current_period_end : null),
    ended_at: subscription.ended_at,
    scheduled: scheduledChange(subscription.schedule, item),
    invoices: await fetchPaidInvoices(deps.stripe, id, { item_id: item.id, product_id: item.price.product }),
  }
}

/** The phase that follows the present one. The portal schedules nothing but the quantity of the plan's item. */
function scheduledChange(
  schedule: z.infer<typeof scheduleSchema> | null,
  { price }: Item,
): FetchedSubscription['scheduled'] {
  const until = schedule?.current_phase?.end_date
  const next = schedule?.phases.find(({ start_date }) => until !== undefined && start_date >= until)
  const item = next?.items.find((one) => one.price === price.id) ?? next?.items[0]
  return next ? { seats: item?.quantity ?? 1, at: new Date(next.start_date * 1000) } : null
}
