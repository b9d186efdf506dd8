import { z } from 'zod'
import type { CheckoutIntent } from '../../schema/checkout/intents.ts'
import { subscriptionStatuses } from '../../schema/stripe/statuses.ts'
import type { Subscription } from '../../schema/subscriptions/subscriptions.ts'
import { isLive } from '../../schema/subscriptions/subscriptions.ts'
import { type Candidate, type Comparison, fromSeconds, ownerOf, replayOf } from './comparison.ts'

const time = z.int().transform(fromSeconds)

const subscriptionSchema = z.object({
  id: z.string(),
  status: z.enum(subscriptionStatuses),
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
        price: z.object({ unit_amount: z.int().nullable(), currency: z.string() }),
      }),
    ),
  }),
})
type Listed = z.infer<typeof subscriptionSchema>

const markSchema = z.object({ metadata: z.record(z.string(), z.string()) })

/**
 * Every subscription of ours, live or ended, is here as Stripe has it. All of them are listed each time, a hundred a call: they change as
 * long as they live, and Stripe's list cannot be asked for those that have changed.
 */
export const subscriptions: Comparison = {
  name: 'subscriptions',
  async step({ deps }, after) {
    const page = await deps.stripe.subscriptions.list({
      status: 'all',
      limit: 100,
      ...(after !== null && { starting_after: after }),
    })
    // Of those that are not ours no form is expected.
    const ours = page.data
      .filter((one) => z.uuid().safeParse(markSchema.parse(one).metadata.intentId).success)
      .map((one) => subscriptionSchema.parse(one))
    const ids = ours.map(({ id }) => id)
    const intentIds = ours.map(({ metadata }) => String(metadata.intentId))
    const [rows, intents] = ids.length
      ? await Promise.all([
          deps.db
            .selectFrom('subscriptions')
            .selectAll()
            .where('stripe_subscription_id', 'in', ids)
            .execute(),
          deps.db.selectFrom('checkout_intents').selectAll().where('id', 'in', intentIds).execute(),
        ])
      : [[], []]
    const known = new Map(rows.map((row) => [row.stripe_subscription_id, row]))
    const promised = new Map(intents.map((intent) => [intent.id, intent]))
    return {
      count: ours.length,
      differences: ours.flatMap((one): Candidate[] => {
        const row = known.get(one.id)
        const intent = promised.get(String(one.metadata.intentId))
        const difference = row ? compare(one, row) : unknown(one, intent)
        return difference ? [difference] : []
      }),
      next: page.has_more ? (page.data.at(-1)?.id ?? null) : null,
    }
  },
}

function compare(there: Listed, here: Subscription): Candidate | undefined {
  const [item] = there.items.data
  if (!item) return undefined
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
    owner: ownerOf(here),
    sentence: `A plan differs in ${different.map(([name]) => name).join(', ')}`,
    they_say: `Subscription ${there.id}: ${listed(1)}.`,
    we_have: `${listed(2)}.`,
    money: null,
    credits: null,
    mending: replayOf('subscription', there.id),
    advice: here.sync_failed_at
      ? `A replay fetches it again; the last one failed: ${here.last_error}`
      : 'A replay fetches the subscription again.',
    refs: [there.id, here.intent_id],
  }
}

/** One whose first payment is open, or that ended without any, need not be known. */
function unknown(there: Listed, intent: CheckoutIntent | undefined): Candidate | undefined {
  if (!isLive(there)) return undefined
  const [item] = there.items.data
  const amount = item?.price.unit_amount ?? null
  return {
    kind: 'subscription_unknown',
    object_id: there.id,
    owner: ownerOf(intent),
    sentence: `A plan that is ${there.status} at Stripe is not known to us`,
    they_say: `Subscription ${there.id} is ${there.status}.`,
    we_have: intent
      ? `Its checkout ${intent.id} is ${intent.state}.`
      : 'Neither it nor its checkout is known to us.',
    money:
      amount === null || !item
        ? null
        : { amount_minor: amount * (item.quantity ?? 1), currency: item.price.currency.toUpperCase() },
    credits: intent?.credits ?? null,
    mending: intent ? replayOf('intent', intent.id) : null,
    advice: intent
      ? 'A replay of the checkout fetches its session and the subscription.'
      : 'Cancel and refund it at Stripe, or restore its checkout from a backup.',
    refs: [there.id, intent?.id, intent?.stripe_session_id],
  }
}

function dateText(date: Date | null): string {
  return date ? date.toISOString().slice(0, 16).replace('T', ' ') : 'never'
}
