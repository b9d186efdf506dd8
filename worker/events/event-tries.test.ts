import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { afterAll, describe, expect, test } from 'vitest'
import { findEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import type { StripeEvent } from '../../schema/stripe/events.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { EventTries } from './try-event.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const paid = (intentId: string, fields: Parameters<typeof sessionOf>[1] = {}) =>
  eventOf('checkout.session.completed', sessionOf(intentId, fields))
const receive = (event: StripeEvent) => receiveStripeEvent(database.server, event)
const eventRow = (id: string) => findEvent(database.owner, { source: 'stripe', id })
const balanceOf = (owner_id: string) => findBalance(database.owner, { owner_kind: 'user', owner_id })

/**
 * What a worker does with these jobs when it has all of them in hand; returns each job's failure, or null.
 */
async function tryAll(
  jobs: readonly { readonly id: string; readonly claim?: number }[],
  deps: WorkerDependencies = createTestDependencies(database),
): Promise<(string | null)[]> {
  const tries = new EventTries(deps, 'stripe')
  const ended = await Promise.allSettled(jobs.map(({ id, claim = 0 }) => tries.try(deps, { id, claim })))
  return ended.map((end) => (end.status === 'rejected' ? (end.reason as Error).message : null))
}

describe('the jobs that a worker has in hand', () => {
  test('ten for one event grant once, and count once', async () => {
    const { id: intentId, owner_id } = await buildPurchase(database.server)
    const id = await receive(paid(intentId))
    const deps = createTestDependencies(database)
    expect(await tryAll(Array(10).fill({ id }), deps)).toEqual(Array(10).fill(null))
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
    const { values } = await deps.metrics.eventSeconds.get()
    expect(values.find(({ metricName }) => metricName?.endsWith('_count'))?.value).toBe(1)
  })

  test('each that fails has an error and an attempt of its own, and the others are applied', async () => {
    const intents = []
    for (let i = 0; i < 6; i++) intents.push((await buildPurchase(database.server)).id)
    const early = randomUUID()
    const ids = []
    for (const event of [
      paid(intents[0] ?? ''),
      paid(intents[1] ?? '', { amount_total: 1 }),
      paid(intents[2] ?? ''),
      paid(early),
      paid(intents[3] ?? '', { status: 'of the future' as 'open' }),
      paid(intents[4] ?? ''),
      eventOf('customer.created', { object: 'customer' }),
    ]) {
      ids.push(await receive(event))
    }
    const missing = `evt_${randomUUID()}`
    expect(await tryAll([...ids, missing].map((id) => ({ id })))).toEqual([
      null,
      expect.stringContaining('promised 700 EUR'),
      null,
      expect.stringContaining('has not been committed yet'),
      expect.stringContaining('status'),
      null,
      null,
      expect.stringContaining('is not in the inbox'),
    ])
    const rows = []
    for (const id of ids) rows.push(await eventRow(id))
    expect(rows).toMatchObject([
      { state: 'applied', attempts: 0 },
      { state: 'failed', attempts: 1, reason: expect.stringContaining('promised 700 EUR') },
      { state: 'applied', attempts: 0 },
      { state: 'received', attempts: 1, last_error: expect.stringContaining('has not been committed yet') },
      { state: 'failed', attempts: 1, reason: expect.stringContaining('Unrecognized format') },
      { state: 'applied', attempts: 0 },
      { state: 'ignored', attempts: 0 },
    ])
  })

  test('one whose payload moves to a month that was made meanwhile is tried again', async () => {
    const { id: intentId, owner_id } = await buildPurchase(database.server)
    const id = await receive(paid(intentId))
    const payloads = () => database.owner.updateTable('inbox_payloads').where('id', '=', id)
    const before = await eventRow(id)
    // As a statement sees it that was planned without that month.
    await payloads().set({ source: 'clerk' }).execute()
    expect(await tryAll([{ id }])).toEqual([expect.stringContaining('moves to another month')])
    await payloads().set({ source: 'stripe' }).execute()
    const again = await eventRow(id)
    expect(again).toMatchObject({ state: 'received', attempts: 1, payload: before?.payload })
    expect(await tryAll([{ id, claim: again?.claims ?? 0 }])).toEqual([null])
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })

  test('one that the database refuses spoils none of the others', async () => {
    const [good, poisoned, other] = [
      await buildPurchase(database.server),
      await buildPurchase(database.server),
      await buildPurchase(database.server),
    ]
    // Its session is another checkout's already, which a unique index refuses.
    await buildPurchase(database.server, { stripe_session_id: `cs_test_${poisoned.id}` })
    const ids = []
    for (const { id } of [good, poisoned, other]) ids.push(await receive(paid(id)))
    const [first, second, third] = await tryAll(ids.map((id) => ({ id })))
    expect([first, third]).toEqual([null, null])
    expect(second).toContain('checkout_intents_stripe_session_id_key')
    expect(await eventRow(ids[1] ?? '')).toMatchObject({ state: 'received', attempts: 1 })
    expect(await balanceOf(poisoned.owner_id)).toMatchObject({ version: 0 })
    for (const { owner_id } of [good, other]) {
      expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
    }
  })

  test('one that was made for a claim that is over does nothing', async () => {
    const [{ id: intentId, owner_id }, other] = [
      await buildPurchase(database.server),
      await buildPurchase(database.server),
    ]
    const id = await receive(paid(intentId))
    await database.owner.updateTable('inbox_events').set({ claims: 1 }).where('id', '=', id).execute()
    expect(await tryAll([{ id }, { id: await receive(paid(other.id)) }])).toEqual([null, null])
    expect(await eventRow(id)).toMatchObject({ state: 'received' })
    expect(await balanceOf(owner_id)).toMatchObject({ version: 0 })
    expect(await tryAll([{ id, claim: 1 }])).toEqual([null])
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })

  test('the later of two jobs for different claims of one event counts, in any order', async () => {
    for (const claims of [
      [0, 1],
      [1, 0],
    ]) {
      const { id: intentId, owner_id } = await buildPurchase(database.server)
      const id = await receive(paid(intentId))
      await database.owner.updateTable('inbox_events').set({ claims: 1 }).where('id', '=', id).execute()
      expect(await tryAll(claims.map((claim) => ({ id, claim })))).toEqual([null, null])
      expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
    }
  })

  test('those that wait for Stripe keep none from being applied that need not', async () => {
    const answer = Promise.withResolvers<never>()
    const stripe = {
      subscriptions: { retrieve: () => answer.promise },
    } as unknown as Stripe
    const deps = createTestDependencies(database, { stripe })
    const tries = new EventTries(deps, 'stripe')
    const waiting = []
    for (let i = 0; i < 20; i++) {
      const id = await receive(
        eventOf('customer.subscription.updated', { object: 'subscription', id: `sub_${i}` } as object as {
          object: string
        }),
      )
      waiting.push(tries.try(deps, { id, claim: 0 }).catch(() => 'failed'))
    }
    const { id: intentId, owner_id } = await buildPurchase(database.server)
    await tries.try(deps, { id: await receive(paid(intentId)), claim: 0 })
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
    answer.reject(new Error('Stripe is away'))
    expect(await Promise.all(waiting)).toEqual(Array(20).fill('failed'))
  })
})

test('more events than are applied together are all applied', async () => {
  const owner_id = await buildUser(database.server)
  const ids = []
  for (let i = 0; i < 120; i++) {
    const intent = await buildPurchase(database.server, { user_id: owner_id, owner_id })
    ids.push(await receive(paid(intent.id)))
  }
  expect(await tryAll(ids.map((id) => ({ id })))).toEqual(Array(120).fill(null))
  expect(await balanceOf(owner_id)).toMatchObject({ purchased: 120 * 500, version: 120 })
})
