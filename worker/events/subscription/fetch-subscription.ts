import Stripe from 'stripe'
import { z } from 'zod'
import type { SubscriptionSnapshot } from '../../../schema/billing/subscriptions/snapshots.ts'
import type { BillingFrequency, PlanType } from '../../../schema/catalogue/plans.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { planItemOf, planOfPrice } from '../../../schema/vendors/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../../schema/vendors/stripe/events.ts'
import { isOver, subscriptionStatuses } from '../../../schema/vendors/stripe/statuses.ts'
import { nextPhase } from '../../../schema/vendors/stripe/subscription-schedule.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { PermanentError } from '../../errors.ts'
import { findOrder, type OrderOf } from './order.ts'
import { type Bills, fetchBills, type PaidInvoice } from './paid-lines.ts'

/** A subscription as Stripe has it at one moment, with all that was ever paid for it. */
export interface FetchedSubscription {
  readonly id: string
  readonly customer_id: string
  /** What was ordered with it, and by whom. */
  readonly order: OrderOf
  /** The plan that its price sells; null for a price that is not in our catalogue. */
  readonly plan_type: PlanType | null
  readonly invoices: readonly PaidInvoice[]
  /** That it is charged to. */
  readonly card: Stripe.PaymentMethod.Card | null
  /** `snapshot_order` is drawn before Stripe is called, so that an older one never replaces a newer one. */
  readonly row: SubscriptionSnapshot
}

const seconds = z.number().transform((value) => new Date(value * 1000))

const recurringSchema = z.object({ interval: z.enum(['month', 'year']) })

const itemSchema = z.object({
  id: z.string(),
  // A quantity of 0 is allowed: https://docs.stripe.com/billing/subscriptions/quantities
  quantity: z.int().min(0).default(1),
  current_period_start: seconds,
  current_period_end: seconds,
  price: z.object({
    id: z.string(),
    lookup_key: z.string().nullable(),
    product: stripeReferenceSchema,
    unit_amount: z.int().nullable(),
    recurring: recurringSchema,
  }),
})
type Item = z.infer<typeof itemSchema>

const scheduleSchema = z.object({
  current_phase: z.object({ end_date: z.number() }).nullable(),
  phases: z.array(
    z.object({
      start_date: z.number(),
      items: z.array(
        z.object({
          price: z.object({ product: stripeReferenceSchema, recurring: recurringSchema }),
          quantity: z.int().min(0).optional(),
        }),
      ),
    }),
  ),
})

/** Of one that is not ours no other form is expected. */
const markSchema = z.object({
  id: z.string(),
  customer: stripeReferenceSchema,
  metadata: z.record(z.string(), z.string()),
  items: z.object({
    data: z.array(z.object({ price: itemSchema.shape.price.pick({ lookup_key: true, product: true }) })),
  }),
})

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
  automatic_tax: z.object({ disabled_reason: z.string().nullable() }),
  pause_collection: z.object({ resumes_at: seconds.nullable() }).nullable(),
})

/**
 * Fetches a subscription and its paid invoices. Undefined when it is none of ours: see `findOrder`; one that our
 * customer has of another product of the account is none, either. Three
 * calls, and more when it has over a hundred invoices or an invoice has many lines. Throws PermanentError for
 * one that was changed into something we do not sell.
 */
export async function fetchSubscription(
  deps: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
  intentOfSession?: string,
): Promise<FetchedSubscription | undefined> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const retrieved = await deps.stripe.subscriptions.retrieve(id, {
    expand: [
      'schedule.phases.items.price',
      'default_payment_method',
      'customer.invoice_settings.default_payment_method',
    ],
  })
  const mark = markSchema.parse(retrieved)
  const order = await findOrder(deps.db, mark, intentOfSession)
  if (!order || ('owner_id' in order && !mark.items.data.some(({ price }) => planOfPrice(price))))
    return undefined
  const subscription = subscriptionSchema.parse(retrieved)
  const item = planItemOf(subscription.items.data)
  if (!item) throw new PermanentError('not_one_plan', { id })
  const { invoices, pending, waived, unpaid, lacks_tax_location } = await fetchBills(deps.stripe, {
    id,
    customer_id: subscription.customer,
    plan: { item_id: item.id, product_id: item.price.product },
  })
  return {
    id,
    customer_id: subscription.customer,
    order,
    plan_type: planOfPrice(item.price),
    invoices,
    card: cardOf(retrieved),
    row: {
      stripe_subscription_id: id,
      snapshot_order,
      status: subscription.status,
      billing_frequency: frequencyOf(item.price),
      price_minor: item.price.unit_amount,
      seats_total: item.quantity,
      current_period_start: item.current_period_start,
      current_period_end: item.current_period_end,
      trial_end: subscription.trial_end,
      cancel_at:
        subscription.cancel_at ?? (subscription.cancel_at_period_end ? item.current_period_end : null),
      ended_at: subscription.ended_at,
      lapses_at: lapseOf(subscription, { invoices, waived, seats: item.quantity }),
      ...scheduledChange(subscription.schedule, item),
      pending_lines: JSON.stringify(pending),
      ...unpaid,
      lacks_tax_location: lacks_tax_location || (await isUntaxed(deps.stripe, subscription)),
    },
  }
}

/** Its own, or else the customer's (Stripe.Subscription.default_payment_method). */
function cardOf({ default_payment_method: own, customer }: Stripe.Subscription): FetchedSubscription['card'] {
  const isKnown = typeof customer !== 'string' && !customer.deleted
  const method = own ?? (isKnown ? customer.invoice_settings.default_payment_method : null)
  return (typeof method === 'object' && method?.card) || null
}

/**
 * Whether Stripe has switched tax off because the customer has no location, and they still have none. Stripe does not
 * switch it on again (https://docs.stripe.com/tax/customer-locations); with an address this function does.
 */
async function isUntaxed(
  stripe: Stripe,
  { id, customer: customer_id, automatic_tax, status }: z.infer<typeof subscriptionSchema>,
): Promise<boolean> {
  if (automatic_tax.disabled_reason !== 'requires_location_inputs' || isOver({ status })) return false
  const customer = await stripe.customers.retrieve(customer_id)
  if (customer.deleted || !customer.address?.country) return true
  try {
    await stripe.subscriptions.update(id, { automatic_tax: { enabled: true } })
    return false
  } catch (error) {
    // Not an address that Stripe recognizes, or one whose tax a schedule decides.
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return true
    throw error
  }
}

/**
 * The end of what is paid for, where Stripe plans no charge after it: collection is paused beyond it, the invoice of
 * what follows was voided or given up (by hand, by a pause, or after the last retry), the subscription was
 * paused or Stripe has given up retrying (`unpaid`), or no seat is left. It stays active at Stripe in most of these cases, and "invoices continue to
 * generate" (https://docs.stripe.com/billing/subscriptions/pause-payment). Null where a payment is on its way.
 */
function lapseOf(
  { status, pause_collection: pause }: z.infer<typeof subscriptionSchema>,
  { invoices, waived, seats }: Pick<Bills, 'invoices' | 'waived'> & { readonly seats: number },
): Date | null {
  const paid = invoices
    .flatMap(({ lines }) => lines)
    .filter(({ kind, seats }) => kind === 'period' && seats > 0)
  const until = paid.reduce<Date | null>(
    (latest, { ends_at }) => (latest && latest > ends_at ? latest : ends_at),
    null,
  )
  if (!until) return null
  const hasStopped = status === 'paused' || status === 'unpaid'
  const isPaused = hasStopped || (pause && (!pause.resumes_at || pause.resumes_at > until))
  return isPaused || seats === 0 || waived.some((start) => start >= until) ? until : null
}

/** What waits for the next period. The portal schedules the quantity and the price of the plan's item. */
function scheduledChange(
  schedule: z.infer<typeof scheduleSchema> | null,
  { price }: Item,
): Pick<SubscriptionSnapshot, 'scheduled_seats' | 'scheduled_frequency' | 'scheduled_at'> {
  const next = schedule && nextPhase(schedule)
  const item = next?.items.find((one) => one.price.product === price.product) ?? next?.items[0]
  return {
    scheduled_seats: next ? (item?.quantity ?? 1) : null,
    scheduled_frequency: next ? frequencyOf(item?.price ?? price) : null,
    scheduled_at: next ? new Date(next.start_date * 1000) : null,
  }
}

function frequencyOf({ recurring }: Pick<Item['price'], 'recurring'>): BillingFrequency {
  return recurring.interval === 'year' ? 'yearly' : 'monthly'
}
