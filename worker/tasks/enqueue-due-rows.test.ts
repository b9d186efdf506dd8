import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { findEvent } from '../../schema/inbox/events.ts'
import {
  eventOf,
  receiveCheckoutEvent,
  receiveStripeEvent,
  sessionOf,
} from '../../tests/support/factories/events.ts'
import { buildPaidCredits } from '../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import { tryEvent } from '../events/try-event.ts'
import { enqueueDueRows } from './enqueue-due-rows.ts'

const added: { queue: string; jobId: string; payload: unknown }[] = []
/** How many jobs were added by each call. */
const calls: number[] = []
let waiting = 0
const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
beforeEach(async () => {
  added.length = 0
  calls.length = 0
  waiting = 0
  await database.owner.deleteFrom('inbox_events').execute()
  await database.owner.deleteFrom('checkout_intents').where('state', '<>', 'settled').execute()
})

/** Runs a claim `minutes` from now. */
function claimIn(minutes: number) {
  return enqueueDueRows(
    createTestDependencies(database, {
      now: () => new Date(Date.now() + minutes * 60_000),
      claimAfterMs: 30_000,
      producer: {
        add: () => Promise.reject(new Error('A claim adds its events together')),
        async addMany(queue, jobs) {
          if (jobs.length > 0) calls.push(jobs.length)
          for (const job of jobs) added.push({ queue, ...job })
        },
        countWaiting: async () => waiting,
      },
    }),
  )
}

const paidEvent = () => eventOf('checkout.session.completed', sessionOf(randomUUID()))

/** Of a paid checkout that is not committed here yet. */
async function receiveEarlyEvent(): Promise<string> {
  const bought = await buildPaidCredits(product)
  await database.owner.deleteFrom('checkout_intents').where('id', '=', bought.intent_id).execute()
  return receiveCheckoutEvent(database.server, bought)
}

test('an event that was not applied is enqueued again, under an id that no job has', async () => {
  const id = await receiveStripeEvent(database.server, paidEvent())
  expect(await claimIn(1)).toEqual({ events: 1, intents: 0 })
  expect(added).toMatchObject([{ queue: 'stripe-events', payload: { event_id: id } }])
  expect(added[0]?.jobId).not.toBe(id)
})

test('what is due is enqueued by one call for each queue, a job for each', async () => {
  for (let i = 0; i < 20; i++) await receiveStripeEvent(database.server, paidEvent())
  for (let i = 0; i < 3; i++) await buildPurchase(database.server, { next_try_at: new Date() })
  expect(await claimIn(1)).toEqual({ events: 20, intents: 3 })
  expect(calls).toEqual([20, 3])
  expect(new Set(added.map(({ jobId }) => jobId)).size).toBe(23)
})

test('a job does nothing once its row has been claimed again, or its failure was recorded', async () => {
  const id = await receiveEarlyEvent()
  const key = { source: 'stripe', id } as const
  const attemptsAfter = async (claim: number) => {
    await tryEvent(worker.deps, key, claim).catch(() => undefined)
    return (await findEvent(database.owner, key))?.attempts
  }
  await claimIn(1)
  expect(await attemptsAfter(0)).toBe(0)
  expect(await attemptsAfter(1)).toBe(1)
  expect(await attemptsAfter(1)).toBe(1)
})

test('while the queue is full nothing is claimed, so that it does not grow', async () => {
  await receiveStripeEvent(database.server, paidEvent())
  waiting = 500
  expect(await claimIn(1)).toEqual({ events: 0, intents: 0 })
  waiting = 499
  expect(await claimIn(1)).toEqual({ events: 1, intents: 0 })
})
