import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { findEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findSubscription } from '../../schema/subscriptions/subscriptions.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { syncKeptEvents } from './sync-kept-events.ts'

const product = testProduct({ stripe: 'empty' })
const { database, server, stripe, worker, clock } = product
beforeEach(async () => {
  clock.reset()
  await database.owner.deleteFrom('inbox_events').execute()
  await stripe.takeEvents()
})

type Damage = (event: Stripe.Event) => string
/** What signed JSON may hold and Postgres' JSON may not. */
const damages = {
  nul: (event) => JSON.stringify({ ...event, note: 'a\0b' }),
  'half of a surrogate pair': (event) => JSON.stringify({ ...event, note: 'a\ud83d' }),
  '20,000 levels': (event) =>
    JSON.stringify({ ...event, note: 0 }).replace(
      '"note":0',
      `"note":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ),
  'a time that is none': (event) => JSON.stringify({ ...event, created: 1e17 }),
} satisfies Record<string, Damage>

/** Delivers an event of this type, damaged and signed, and returns the row that it became. */
async function deliver(type: string, damage: Damage) {
  const event = (await stripe.takeEvents()).find((one) => one.type === type)
  if (!event) throw new Error(`Stripe has no ${type}`)
  const payload = damage(event)
  const signature = server.deps.stripe.webhooks.generateTestHeaderString({
    payload,
    secret: server.deps.settings.stripe_webhook_secrets[0],
  })
  const { status } = await fetch(`${server.url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  })
  expect(status).toBe(200)
  return { source: 'stripe', id: event.id } as const
}

const balanceOf = async (bought: PaidPurchase) => (await findBalance(database.owner, bought.owner)).total
const rowOf = (key: Parameters<typeof findEvent>[1]) => findEvent(database.owner, key)

describe.each(Object.entries(damages))('an event with %s is failed, and all the same', (_, damage) => {
  test('a checkout of credits is applied', async () => {
    const bought = await buildPaidCredits(product)
    const key = await deliver('checkout.session.completed', damage)
    expect(await syncKeptEvents(worker.deps)).toBe(1)
    expect(await balanceOf(bought)).toBe(500)
    expect(await rowOf(key)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(
        /^It cannot be stored as JSON: .* What it is about was fetched and is up to date\.$/,
      ),
    })
    expect(await syncKeptEvents(worker.deps)).toBe(0)
  })

  test('a subscription is synced', async () => {
    const bought = await buildPaidPlan(product)
    await deliver('customer.subscription.created', damage)
    await syncKeptEvents(worker.deps)
    expect(await findSubscription(database.owner, bought.subscription_id ?? '')).toMatchObject({
      status: 'active',
    })
    expect(await balanceOf(bought)).toBe(500)
  })

  test('a refund is taken back', async () => {
    const bought = await buildPaidCredits(product)
    await worker.catchUp()
    const { data } = await stripe.client.charges.list({ customer: bought.customer_id, limit: 1 })
    await stripe.client.refunds.create({ charge: data[0]?.id ?? '', amount: 350 })
    await deliver('charge.refunded', damage)
    await syncKeptEvents(worker.deps)
    expect(await balanceOf(bought)).toBe(250)
  })
})

test('while Stripe is unavailable it is tried again, and not for ever', async () => {
  await buildPaidPlan(product)
  const key = await deliver('customer.subscription.created', damages.nul)
  const away = { ...worker.deps, stripe: {} as Stripe }
  expect(await syncKeptEvents(away)).toBe(0)
  const failed = await rowOf(key)
  expect(failed?.object_sync_at?.getTime()).toBeGreaterThan(Date.now())
  expect(failed?.last_error).toMatch(/./)
  clock.advance(4 * 86_400_000)
  expect(await syncKeptEvents(away)).toBe(0)
  expect(await rowOf(key)).toMatchObject({ state: 'failed', object_sync_at: null })
})
