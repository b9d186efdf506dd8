import { z } from 'zod'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { findLiveSubscription, isLive } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findRows } from '../../schema/database/find-rows.ts'
import { planItemOf, planOfPrice } from '../../schema/vendors/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import { subscriptionStatuses } from '../../schema/vendors/stripe/statuses.ts'
import { cancellationOf, fromSeconds, pagesOf, replayOf, type UnconfirmedDifference } from './comparison.ts'

const time = z.int().transform(fromSeconds)

const subscriptionSchema = z.object({
  id: z.string(),
  status: z.enum(subscriptionStatuses),
  customer: stripeReferenceSchema,
  metadata: z.record(z.string(), z.string()),
  cancel_at: time.nullable(),
  cancel_at_period_end: z.boolean(),
  ended_at: time.nullable(),
  items: z.object({
    data: z.array(
      z.object({
        quantity: z.int().optional(),
        current_period_start: time,
        current_period_end: time,
        price: z.object({
          unit_amount: z.int().nullable(),
          currency: z.string(),
          lookup_key: z.string().nullable(),
          product: stripeReferenceSchema,
        }),
      }),
    ),
  }),
})
type Listed = z.infer<typeof subscriptionSchema>

const markSchema = z.object({
  id: z.string(),
  customer: stripeReferenceSchema,
  metadata: z.record(z.string(), z.string()),
})

/**
 * Every subscription of ours, live or ended, is here as Stripe has it. All of them are listed each time, a
 * hundred a call: they change as long as they live, and Stripe's list cannot be asked for those that have
 * changed.
 */
export const subscriptions = pagesOf({
  name: 'subscriptions',
  list: ({ deps }, page) => deps.stripe.subscriptions.list({ status: 'all', ...page }),
  async compare({ deps: { db } }, page) {
    const marks = z.array(markSchema).parse(page)
    const intentIds = marks.flatMap(({ metadata }) => (isUuid(metadata.intentId) ? metadata.intentId : []))
    const customerIds = marks.map(({ customer }) => customer)
    const known = {
      rows: await findRows(
        db,
        'subscriptions',
        'stripe_subscription_id',
        marks.map(({ id }) => id),
      ),
      intents: await findRows(db, 'checkout_intents', 'id', intentIds),
      customers: await findRows(db, 'stripe_customers', 'customer_id', customerIds),
    }
    // Ours by our row, by our customer, or by the metadata. Of others no form is expected.
    const ours = page
      .filter(({ id, customer, metadata }) => {
        const customerId = stripeReferenceSchema.parse(customer)
        return known.rows.has(id) || known.customers.has(customerId) || isUuid(metadata.intentId)
      })
      .map((one) => subscriptionSchema.parse(one))
    const differences: UnconfirmedDifference[] = []
    for (const one of ours) {
      const row = known.rows.get(one.id)
      const difference = row ? compare(one, row) : await unknown(db, one, known)
      if (difference) differences.push(difference)
    }
    return { count: ours.length, differences }
  },
})

interface WhatIsKnown {
  readonly intents: ReadonlyMap<string, CheckoutIntent>
  /** Whose each customer is. */
  readonly customers: ReadonlyMap<string, { readonly owner_id: string }>
}

function isUuid(text: string | undefined): text is string {
  return z.uuid().safeParse(text).success
}

function planAtStripe({ items }: Listed): string | null {
  const item = planItemOf(items.data)
  return item ? planOfPrice(item.price) : null
}

function compare(there: Listed, here: Subscription): UnconfirmedDifference | undefined {
  const item = planItemOf(there.items.data)
  if (!item) return undefined
  const plan = planAtStripe(there)
  if (plan && plan !== here.plan_type && !there.ended_at) return otherPlan(there, here, plan)
  const cancel_at = there.cancel_at ?? (there.cancel_at_period_end ? item.current_period_end : null)
  const both: readonly (readonly [field: string, there: string | null, here: string | null])[] = [
    ['status', there.status, here.status],
    ['seats', String(item.quantity ?? 1), String(here.seats_total)],
    ['period_from', minuteOf(item.current_period_start), minuteOf(here.current_period_start)],
    ['period_to', minuteOf(item.current_period_end), minuteOf(here.current_period_end)],
    ['to_be_cancelled_at', minuteOf(cancel_at), minuteOf(here.cancel_at)],
    ['ended_at', minuteOf(there.ended_at), minuteOf(here.ended_at)],
  ]
  const fields = both.flatMap(([field, one, other]) =>
    one === other ? [] : { field, there: one, here: other },
  )
  if (fields.length === 0) return undefined
  return {
    kind: 'subscription_differs',
    object_id: there.id,
    owner_id: here.owner_id,
    data: { fields, failure: here.sync_failed_at && here.last_error },
    repair: replayOf('subscription', there.id),
    refs: [there.id, here.intent_id],
  }
}

/** Nothing of it can be applied: seats, credits and pages are those of the plan that was bought. */
function otherPlan(there: Listed, here: Subscription, plan: string): UnconfirmedDifference {
  return {
    kind: 'subscription_plan_differs',
    object_id: there.id,
    owner_id: here.owner_id,
    data: { there: plan, here: here.plan_type },
    repair: replayOf('subscription', there.id),
    refs: [there.id, here.intent_id],
  }
}

/**
 * One whose first payment is open, or that ended without any, need not be known; nor one of another product
 * that our customer has.
 */
async function unknown(
  db: Database,
  there: Listed,
  { intents, customers }: WhatIsKnown,
): Promise<UnconfirmedDifference | undefined> {
  const intent = intents.get(String(there.metadata.intentId))
  const owner_id = customers.get(there.customer)?.owner_id ?? intent?.owner_id ?? null
  if (!isLive(there) || (!isUuid(there.metadata.intentId) && !planAtStripe(there))) return undefined
  const second = owner_id === null ? undefined : await findLiveSubscription(db, owner_id)
  const item = planItemOf(there.items.data)
  const amount = item?.price.unit_amount ?? null
  return {
    kind: 'subscription_unknown',
    object_id: there.id,
    owner_id,
    data: {
      status: there.status,
      second_to: second?.stripe_subscription_id ?? null,
      intent_id: intent?.id ?? null,
      intent_state: intent?.state ?? null,
    },
    money:
      amount === null || !item
        ? null
        : { amount_minor: amount * (item.quantity ?? 1), currency: item.price.currency.toUpperCase() },
    credits: intent?.credits ?? null,
    repair: second
      ? cancellationOf(there.id)
      : intent && intent.state !== 'settled'
        ? replayOf('intent', intent.id)
        : owner_id === null
          ? null
          : replayOf('subscription', there.id),
    refs: [there.id, intent?.id, intent?.stripe_session_id],
  }
}

function minuteOf(date: Date | null): string | null {
  return date === null ? null : date.toISOString().slice(0, 16).replace('T', ' ')
}
