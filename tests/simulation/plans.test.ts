import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../../schema/database/connect.ts'
import { verifyLedger } from '../../schema/ledger/verify.ts'
import { stripeEventSchema } from '../../schema/stripe/events.ts'
import { processInboxEvent } from '../../worker/jobs/inbox-event.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { copyBeginning } from '../support/beginning.ts'
import { createTestDatabase } from '../support/database.ts'
import { receiveStripeEvent } from '../support/stripe-events.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createTestDependencies } from '../support/worker.ts'
import { planHistory } from './plan-history.ts'
import { eventsOf, type PlayedPlan, playPlan } from './play-plan.ts'
import { numRuns, seed } from './seed.ts'
import { startWorld, type World } from './world.ts'

const histories = numRuns(40)

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: inject('redisUrl'), missing: inject('redisReason') },
]

describe.each(backends)(`on $name, with seed ${seed}`, ({ name, redisUrl, missing }) => {
  let world: World
  beforeAll(async () => {
    if (!missing) world = await startWorld({ redisUrl })
  })
  afterAll(() => world?.close())

  test('whatever happens to a plan, ledger, seats and plan end as if every event had come once and in order', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    await fc.assert(
      fc.asyncProperty(planHistory, async (history) => {
        const played = await playPlan(world, history)
        await world.mend()
        await settlesAsInOrder(world, played)
        await endQuietly(world, played)
      }),
      { numRuns: histories, seed, endOnFailure: true },
    )
    const report = await verifyLedger(world.database.owner)
    console.log(`${name}: ${histories} plans, seed ${seed}`, report.counts, world.mishaps)
    expect(report.problems).toEqual([])
    expect(report.counts.transfers, 'grants and their like').toBeGreaterThan(histories)
  })
})

/** Lets the rest of the events arrive, and holds our books against books that saw each event once and in order. */
async function settlesAsInOrder(world: World, played: PlayedPlan): Promise<void> {
  const events = await eventsOf(world, played)
  for (const event of events) await world.stripeSandbox.knob(`events/${event.id}/deliver`)
  const expected = await booksInOrder(world, played)
  await waitUntil(
    async () => {
      const books = await booksOf(world.database.owner, played)
      const isSame = JSON.stringify(books) === JSON.stringify(expected)
      if (!isSame) world.advance(10_000)
      return isSame
    },
    async () =>
      `books as in order\nexpected ${JSON.stringify(expected)}\nfound    ${JSON.stringify(await booksOf(world.database.owner, played))}`,
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
async function booksInOrder(world: World, played: PlayedPlan): Promise<Books> {
  const fresh = await createTestDatabase()
  try {
    await copyBeginning(world.database, fresh, [played.person.user_id])
    const deps = createTestDependencies(fresh, {
      stripe: world.stripe,
      now: world.now,
      organizations: {
        makeOrganization: async () => (await ownerOf(world, played)) ?? 'org_none',
      },
    })
    for (const event of await eventsOf(world, played)) {
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

async function ownerOf(world: World, played: PlayedPlan): Promise<string | null> {
  const intent = await waitUntil(
    () =>
      world.database.owner
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
async function endQuietly(world: World, played: PlayedPlan): Promise<void> {
  const subscription = await world.stripe.subscriptions.retrieve(played.subscription_id)
  if (subscription.status !== 'canceled') await world.stripe.subscriptions.cancel(subscription.id)
  for (const event of await eventsOf(world, played)) {
    if (event.type === 'customer.subscription.deleted')
      await world.stripeSandbox.knob(`events/${event.id}/deliver`)
  }
}
