import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { copyCheckouts } from '../../tests/support/database/copy-checkouts.ts'
import { createTestDatabase } from '../../tests/support/database/test-database.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits, buildPaidPlan } from '../../tests/support/factories/paid-purchases.ts'
import { isLong } from '../../tests/support/long.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { rememberingStripe } from '../../tests/support/services/stripe.ts'
import { tryEvent } from './try-event.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
const played = madeOnce(async () => {
  const people = await tell()
  return { people, story: await product.stripe.takeEvents(), stripe: rememberingStripe(product.stripe.url) }
})
/** The books of the story in Stripe's order. */
const inOrder = madeOnce(async () => ({ books: await replay(played.story) }))

/**
 * A team that grows, is refunded and disputed, renews, fails to pay, pays and leaves; and credits bought
 * beside it.
 */
async function tell(): Promise<string[]> {
  const stripe = product.stripe.client
  const owner_id = 'org_story'
  const team = await buildPaidPlan(product, { plan_type: 'teams', seats: 4, owner_id })
  const credits = await buildPaidCredits(product)
  const id = team.subscription_id ?? ''
  await product.advanceDays(10)
  const { items } = await stripe.subscriptions.retrieve(id)
  await stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? '', quantity: 6 }],
    proration_behavior: 'always_invoice',
  })
  await scheduleSeats(id)
  const waiting = { customer: team.customer_id, subscription: id, amount: 500, currency: 'eur' }
  await stripe.invoiceItems.del((await stripe.invoiceItems.create(waiting)).id)
  const chargeOf = async (customer: string) =>
    (await stripe.charges.list({ customer, limit: 1 })).data[0]?.id ?? ''
  await stripe.refunds.create({ charge: await chargeOf(credits.customer_id), amount: 140 })
  await product.stripe.knob(`charges/${await chargeOf(credits.customer_id)}/dispute`, { amount: 280 })
  const [dispute] = (await stripe.disputes.list({ charge: await chargeOf(credits.customer_id) })).data
  await product.stripe.knob(`disputes/${dispute?.id}/close`, { outcome: 'lost' })
  await stripe.disputes.update(dispute?.id ?? '', { metadata: { note: 'read' } })
  const others = await buildPaidCredits(product)
  await stripe.refunds.create({ charge: await chargeOf(others.customer_id), amount: 70 })
  const [refund] = (await stripe.refunds.list({ charge: await chargeOf(others.customer_id) })).data
  await stripe.refunds.update(refund?.id ?? '', { metadata: { note: 'read' } })
  await product.stripe.knob(`charges/${await chargeOf(others.customer_id)}/dispute`)
  const [won] = (await stripe.disputes.list({ charge: await chargeOf(others.customer_id) })).data
  await product.stripe.knob(`disputes/${won?.id}/close`, { outcome: 'won' })
  const pro = await buildPaidPlan(product)
  await stripe.subscriptions.cancel(pro.subscription_id ?? '')
  await product.advanceDays(22)
  await product.stripe.knob(`subscriptions/${id}/card`, { card: '4000000000000341' })
  await product.advanceDays(31)
  await product.stripe.knob(`subscriptions/${id}/card`, { card: '4242424242424242' })
  await product.stripe.knob(`subscriptions/${id}/retry`)
  await product.advanceDays(2)
  await stripe.refunds.create({ charge: await chargeOf(team.customer_id), amount: 3000 })
  return [team.user_id, credits.user_id, others.user_id, pro.user_id]
}

/** A change of seats that is taken back before it comes about. */
async function scheduleSeats(id: string): Promise<void> {
  const { subscriptionSchedules } = product.stripe.client
  const schedule = await subscriptionSchedules.create({ from_subscription: id })
  const [phase] = schedule.phases
  const [item] = phase?.items ?? []
  const price = String(item?.price)
  await subscriptionSchedules.update(schedule.id, {
    phases: [
      {
        items: [{ price, quantity: item?.quantity ?? 1 }],
        start_date: phase?.start_date ?? 0,
        end_date: phase?.end_date ?? 0,
      },
      { items: [{ price, quantity: 2 }] },
    ],
  })
  await subscriptionSchedules.release(schedule.id)
}

/** The books of a database of its own in which the events come like this. */
async function replay(events: readonly Stripe.Event[]): Promise<unknown> {
  const fresh = await createTestDatabase()
  try {
    await copyCheckouts(database, fresh, played.people)
    const deps = { ...worker.deps, db: fresh.worker, stripe: played.stripe }
    // One that came too early is tried again later; that it is delivered again meanwhile is not another
    // attempt.
    const early = new Set<string>()
    for (const event of events) {
      const id = await receiveStripeEvent(fresh.server, stripeEventSchema.parse(event))
      if (!early.has(id)) await tryEvent(deps, { source: 'stripe', id }).catch(() => early.add(id))
    }
    for (const id of early) await tryEvent(deps, { source: 'stripe', id })
    expect((await verifyLedger(fresh.owner)).problems).toEqual([])
    return {
      balances: await fresh.owner
        .selectFrom('ledger_owners')
        .select(['owner_id', 'plan_balance', 'purchased_balance'])
        .orderBy('owner_id')
        .execute(),
      subscriptions: await fresh.owner
        .selectFrom('subscriptions')
        .select(['status', 'seats_total', 'current_period_end', 'ended_at'])
        .orderBy('stripe_subscription_id')
        .execute(),
      seats: await fresh.owner.selectFrom('seats').select(['user_id', 'role', 'status']).execute(),
      plans: await fresh.owner
        .selectFrom('users')
        .select(['clerk_id', 'plan_type'])
        .orderBy('clerk_id')
        .execute(),
      unfinished: await fresh.owner
        .selectFrom('inbox_events')
        .select(['type', 'reason'])
        .where('state', 'not in', ['applied', 'ignored'])
        .execute(),
    }
  } finally {
    await fresh.close()
  }
}

test('the story in order ends where its parts say', () => {
  expect(inOrder.books).toMatchObject({
    subscriptions: expect.arrayContaining([expect.objectContaining({ status: 'active', seats_total: 6 })]),
    plans: expect.arrayContaining([expect.objectContaining({ plan_type: 'teams' })]),
    unfinished: [],
  })
})

/** Some 1,000 deliveries on a busy machine. */
const patience = { timeout: 600_000 }

test('the whole story in one second and backwards ends in the same books', patience, async () => {
  const at = played.story[0]?.created ?? 0
  expect(await replay(played.story.toReversed().map((event) => ({ ...event, created: at })))).toEqual(
    inOrder.books,
  )
})

test('every event of the story ten times each ends in the same books', patience, async () => {
  const tenfold = played.story.flatMap((event) => Array.from({ length: 10 }, () => event))
  expect(await replay(tenfold)).toEqual(inOrder.books)
})

/** Where in the story the events of one type come. The long run tries every type in all of these places. */
const places = {
  'before everything else': (these, others) => [...these, ...others],
  'after everything else, backwards': (these, others) => [...others, ...these.toReversed()],
  ...(isLong && {
    'again after each of the others': (these, others) => others.flatMap((event) => [...these, event]),
  }),
} satisfies Record<string, (these: Stripe.Event[], others: Stripe.Event[]) => Stripe.Event[]>

test.each(Object.entries(places))(
  'the events of one type that come %s end in the same books, whichever type it is',
  patience,
  async (_, arrange) => {
    const told = new Set(played.story.map(({ type }) => type))
    const tried = isLong
      ? told
      : [
          'checkout.session.completed',
          'customer.subscription.updated',
          'invoice.paid',
          'charge.refunded',
          'charge.dispute.closed',
        ]
    for (const type of tried) {
      const these = played.story.filter((event) => event.type === type)
      const others = played.story.filter((event) => event.type !== type)
      expect(await replay(arrange(these, others)), type).toEqual(inOrder.books)
    }
  },
)
