import * as fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import type { Database } from '../../schema/database/connect.ts'
import { verifyLedger } from '../../schema/ledger/verify.ts'
import { stripeEventSchema } from '../../schema/stripe/events.ts'
import { processInboxEvent } from '../../worker/jobs/inbox-event.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { copyCheckouts } from '../support/database/copy-checkouts.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { receiveStripeEvent } from '../support/factories/events.ts'
import { madeOnce } from '../support/made.ts'
import { createTestDependencies } from '../support/product/test-worker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type FaultyProduct, startFaultyProduct } from './faulty-product.ts'
import { planHistory } from './plan-history.ts'
import { eventsOf, type PlayedPlan, playPlan } from './play-plan.ts'
import { numRuns, seed } from './seed.ts'

const histories = numRuns(40)

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: inject('redisUrl'), missing: inject('redisReason') },
]

describe.each(backends)(`on $name, with seed ${seed}`, ({ name, redisUrl, missing }) => {
  const product = madeOnce(
    () => (missing ? undefined : startFaultyProduct({ redisUrl })),
    (made) => made.close(),
  )

  test('whatever happens to a plan, ledger, seats and plan end as if every event had come once and in order', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    await fc.assert(
      fc.asyncProperty(planHistory, async (history) => {
        const played = await playPlan(product, history)
        await product.mend()
        await settlesAsInOrder(product, played)
        await endQuietly(product, played)
      }),
      { numRuns: histories, seed, endOnFailure: true },
    )
    const report = await verifyLedger(product.database.owner)
    console.log(`${name}: ${histories} plans, seed ${seed}`, report.counts, product.mishaps)
    expect(report.problems).toEqual([])
    expect(report.counts.transfers, 'grants and their like').toBeGreaterThan(histories)
  })
})

/** Lets the rest of the events arrive, and holds our books against books that saw each event once and in order. */
async function settlesAsInOrder(product: FaultyProduct, played: PlayedPlan): Promise<void> {
  const events = await eventsOf(product, played)
  for (const event of events) await product.stripe.knob(`events/${event.id}/deliver`)
  const expected = await booksInOrder(product, played)
  await waitUntil(
    async () => {
      const books = await booksOf(product.database.owner, played)
      const isSame = JSON.stringify(books) === JSON.stringify(expected)
      if (!isSame) product.clock.advance(10_000)
      return isSame
    },
    async () =>
      `books as in order\nexpected ${JSON.stringify(expected)}\nfound    ${JSON.stringify(await booksOf(product.database.owner, played))}`,
  )
}

interface Books {
  readonly subscription: unknown
  readonly balances: unknown
  readonly plan_type: unknown
  readonly seats: unknown
  readonly waiting: number
}

async function booksOf(db: Database, played: PlayedPlan): Promise<Books> {
  const subscription = await db
    .selectFrom('subscriptions')
    .select([
      'status',
      'seats_total',
      'billing_frequency',
      'current_period_end',
      'ended_at',
      'owner_kind',
      'owner_id',
    ])
    .where('stripe_subscription_id', '=', played.subscription_id)
    .executeTakeFirst()
  const ownerId = subscription?.owner_id ?? played.person.user_id
  const balances = await db
    .selectFrom('ledger_balances')
    .select(['account', 'balance'])
    .where('owner_id', '=', ownerId)
    .where('balance', '<>', 0)
    .orderBy('account')
    .execute()
  const user = await db
    .selectFrom('users')
    .select('plan_type')
    .where('clerk_id', '=', played.person.user_id)
    .executeTakeFirst()
  // A plan that was over before anybody looked never had seats to give.
  const isOver = subscription?.ended_at != null
  const seats = isOver
    ? []
    : await db
        .selectFrom('seats')
        .select(['user_id', 'role', 'status'])
        .where('organization_id', '=', ownerId)
        .execute()
  const waiting = await db
    .selectFrom('inbox_events')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', 'in', ['received', 'failed'])
    .executeTakeFirstOrThrow()
  return { subscription, balances, plan_type: user?.plan_type, seats, waiting: Number(waiting.n) }
}

/** The same person's plan in a database of its own, where every event arrives once, in Stripe's order. */
async function booksInOrder(product: FaultyProduct, played: PlayedPlan): Promise<Books> {
  const fresh = await createTestDatabase()
  try {
    await copyCheckouts(product.database, fresh, [played.person.user_id])
    const deps = createTestDependencies(fresh, {
      stripe: product.stripe.client,
      now: product.clock.now,
      organizations: {
        makeOrganization: async () => (await ownerOf(product, played)) ?? 'org_none',
      },
    })
    for (const event of await eventsOf(product, played)) {
      const id = await receiveStripeEvent(fresh.server, stripeEventSchema.parse(event))
      await processInboxEvent(deps, { source: 'stripe', id }).catch(() => undefined)
    }
    // What came too early for the first round, and the months of a year, which no event announces.
    const { rows } = {
      rows: await fresh.owner
        .selectFrom('inbox_events')
        .select('id')
        .where('state', '=', 'received')
        .execute(),
    }
    for (const { id } of rows) await processInboxEvent(deps, { source: 'stripe', id })
    await processSubscriptionSync(deps, { subscription_id: played.subscription_id })
    return await booksOf(fresh.owner, played)
  } finally {
    await fresh.close()
  }
}

async function ownerOf(product: FaultyProduct, played: PlayedPlan): Promise<string | null> {
  const intent = await waitUntil(
    () =>
      product.database.owner
        .selectFrom('checkout_intents')
        .select('owner_id')
        .where('user_id', '=', played.person.user_id)
        .where('kind', '=', 'subscription')
        .where('owner_id', 'is not', null)
        .executeTakeFirst(),
    'the organization to be made',
  )
  return intent.owner_id
}

/** So that the clock of the histories that follow has nothing to renew. */
async function endQuietly(product: FaultyProduct, played: PlayedPlan): Promise<void> {
  const subscription = await product.stripe.client.subscriptions.retrieve(played.subscription_id)
  if (subscription.status !== 'canceled') await product.stripe.client.subscriptions.cancel(subscription.id)
  for (const event of await eventsOf(product, played)) {
    if (event.type === 'customer.subscription.deleted')
      await product.stripe.knob(`events/${event.id}/deliver`)
  }
}
