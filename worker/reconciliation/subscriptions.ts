import { z } from 'zod'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { findLiveSubscription, isLive } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { planItemOf, planOfPrice } from '../../schema/vendors/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import { subscriptionStatuses } from '../../schema/vendors/stripe/statuses.ts'
import {
  cancellationOf,
  findRows,
  fromSeconds,
  pagesOf,
  replayOf,
  type UnconfirmedDifference,
} from './comparison.ts'

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
  const fields: readonly (readonly [name: string, there: string, here: string])[] = [
    ['status', there.status, here.status],
    ['seats', String(item.quantity ?? 1), String(here.seats_total)],
    ['period from', dateText(item.current_period_start), dateText(here.current_period_start)],
    ['period to', dateText(item.current_period_end), dateText(here.current_period_end)],
    ['to be cancelled at', dateText(cancel_at), dateText(here.cancel_at)],
    ['ended at', dateText(there.ended_at), dateText(here.ended_at)],
  ]
  const different = fields.filter(([, one, other]) => one !== other)
  if (different.length === 0) return undefined
  const listed = (index: 1 | 2) => different.map((field) => `${field[0]} ${field[index]}`).join(', ')
  return {
    kind: 'subscription_differs',
    object_id: there.id,
    owner_id: here.owner_id,
    sentence: `A plan differs in ${different.map(([name]) => name).join(', ')}`,
    they_say: `Subscription ${there.id}: ${listed(1)}.`,
    we_have: `${listed(2)}.`,
    repair: replayOf('subscription', there.id),
    advice: here.sync_failed_at
      ? `A replay fetches it again; the last one failed: ${here.last_error}`
      : 'A replay fetches the subscription again.',
    refs: [there.id, here.intent_id],
  }
}

/** Nothing of it can be applied: seats, credits and pages are those of the plan that was bought. */
function otherPlan(there: Listed, here: Subscription, plan: string): UnconfirmedDifference {
  return {
    kind: 'subscription_plan_differs',
    object_id: there.id,
    owner_id: here.owner_id,
    sentence: `A plan was bought as ${here.plan_type}, and is charged as ${plan}`,
    they_say: `The price of subscription ${there.id} is one of the plan ${plan}.`,
    we_have: `It is one of the plan ${here.plan_type}.`,
    repair: replayOf('subscription', there.id),
    advice:
      'Change its price back at Stripe, and replay it. Who wants another plan cancels this one and buys the other: seats and owner belong to the plan.',
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
  const isSecond = owner_id && (await findLiveSubscription(db, owner_id))
  const item = planItemOf(there.items.data)
  const amount = item?.price.unit_amount ?? null
  return {
    kind: 'subscription_unknown',
    object_id: there.id,
    owner_id,
    sentence: isSecond
      ? `A second plan is ${there.status} at Stripe, and not known to us`
      : `A plan that is ${there.status} at Stripe is not known to us`,
    they_say: `Subscription ${there.id} is ${there.status}.`,
    we_have: isSecond
      ? `Their plan is ${isSecond.stripe_subscription_id}.`
      : intent
        ? `Its checkout ${intent.id} is ${intent.state}.`
        : 'Neither it nor its checkout is known to us.',
    money:
      amount === null || !item
        ? null
        : { amount_minor: amount * (item.quantity ?? 1), currency: item.price.currency.toUpperCase() },
    credits: intent?.credits ?? null,
    ...repairOf(there, { intent, owner_id, isSecond: Boolean(isSecond) }),
    refs: [there.id, intent?.id, intent?.stripe_session_id],
  }
}

function repairOf(
  { id }: Listed,
  {
    intent,
    owner_id,
    isSecond,
  }: { intent: CheckoutIntent | undefined; owner_id: string | null; isSecond: boolean },
): Pick<UnconfirmedDifference, 'repair' | 'advice'> {
  if (isSecond) {
    const advice = 'Cancelling it ends it at Stripe without another invoice. Refund there what it has taken.'
    return { repair: cancellationOf(id), advice }
  }
  if (intent && intent.state !== 'settled') {
    const advice = 'A replay of the checkout fetches its session and the subscription.'
    return { repair: replayOf('intent', intent.id), advice }
  }
  return owner_id
    ? {
        repair: replayOf('subscription', id),
        advice: 'A replay of the subscription fetches and applies it.',
      }
    : { repair: null, advice: 'Cancel and refund it at Stripe, or restore its checkout from a backup.' }
}

function dateText(date: Date | null): string {
  return date ? date.toISOString().slice(0, 16).replace('T', ' ') : 'never'
}
