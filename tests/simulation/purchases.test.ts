import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { unsettledStates } from '../../schema/checkout/intents.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify.ts'
import { waitUntil } from '../support/wait-until.ts'
import { history } from './history.ts'
import { play } from './play.ts'
import { numRuns, seed } from './seed.ts'
import { startWorld, type World } from './world.ts'

const histories = numRuns(100)

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

  test('whatever happens on the way, the ledger ends with what was paid', async ({ skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    await fc.assert(
      fc.asyncProperty(history, async (planned) => {
        const person = await play(world, planned)
        await world.mend()
        await settles(world, person.user_id)
        await putAside(world, person.user_id)
      }),
      { numRuns: histories, seed, endOnFailure: true },
    )
    const report = await verifyLedger(world.database.owner)
    console.log(`${name}: ${histories} histories, seed ${seed}`, report.counts, world.mishaps)
    expect(report.problems).toEqual([])
    expect(report.counts.settled_intents, 'purchases that were paid').toBeGreaterThan(histories / 4)
    expect(world.mishaps.worker_crashes, 'crashes of the worker').toBeGreaterThan(histories / 20)
  })
})

/** Lets time pass until everything of the person has come to rest, and checks that it rests where Stripe says. */
async function settles(world: World, userId: string): Promise<void> {
  await waitUntil(
    async () => {
      const differences = await differencesOf(world, userId)
      if (differences.length > 0) world.advance(10 * 60_000)
      return differences.length === 0
    },
    async () =>
      `nothing to differ from Stripe\n${JSON.stringify(await differencesOf(world, userId), null, 2)}`,
  )
  // A grant that came twice would show only now: whatever is still in the queue must not change the books.
  expect(await differencesOf(world, userId)).toEqual([])
}

/**
 * What never came to an end is looked at for days, and the next histories let days pass in a second: without this the worker would
 * be busy with the open checkouts of all the people before.
 */
async function putAside(world: World, userId: string): Promise<void> {
  await world.database.owner
    .updateTable('checkout_intents')
    .set({ state: 'expired' })
    .where('user_id', '=', userId)
    .where('state', 'in', unsettledStates)
    .execute()
}

/** Everything in which our books differ from what Stripe says; empty when all is settled. */
async function differencesOf(world: World, userId: string): Promise<string[]> {
  const db = world.database.owner
  const intents = await db.selectFrom('checkout_intents').selectAll().where('user_id', '=', userId).execute()
  const differences: string[] = []
  let paid = 0
  const { data: sessions } = await world.stripe.checkout.sessions.list({ limit: 100 })
  for (const intent of intents) {
    const session = sessions.find((candidate) => candidate.client_reference_id === intent.id)
    const expected = await expectedState(world, session)
    if (expected === 'settled') paid += intent.credits
    if (intent.state !== expected) differences.push(`intent ${intent.id} is ${intent.state}, not ${expected}`)
  }
  const { total } = await findBalance(db, { owner_kind: 'user', owner_id: userId })
  if (total !== paid) differences.push(`the balance is ${total}, paid were ${paid}`)
  const waiting = await db
    .selectFrom('inbox_events')
    .select(['id', 'last_error'])
    .where('state', '=', 'received')
    .execute()
  for (const event of waiting) differences.push(`event ${event.id} waits: ${event.last_error}`)
  const failed = await db
    .selectFrom('inbox_events')
    .select(['id', 'reason'])
    .where('state', '=', 'failed')
    .execute()
  for (const event of failed) differences.push(`event ${event.id} failed: ${event.reason}`)
  return differences
}

type Session = Awaited<ReturnType<World['stripe']['checkout']['sessions']['list']>>['data'][number]

async function expectedState(world: World, session: Session | undefined): Promise<string> {
  if (!session) return 'failed'
  if (session.payment_status === 'paid') return 'settled'
  if (session.status !== 'complete') return session.status ?? 'open'
  const { payment_intent } = await world.stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent'],
  })
  const status = payment_intent && typeof payment_intent === 'object' ? payment_intent.status : null
  return status === 'processing' ? 'awaiting_payment' : 'failed'
}
