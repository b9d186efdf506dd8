import { afterAll, describe, expect, test } from 'vitest'
import { findIntent } from '../../schema/checkout/intents.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import {
  eventOf,
  receiveClerkEvent,
  receiveStripeEvent,
  sessionOf,
} from '../../tests/support/factories/events.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import { maximumAttempts } from '../failures.ts'
import { tryEvent } from './try-event.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const handle = (id: string) => tryEvent(createTestDependencies(database), { source: 'stripe', id })
const eventRow = (id: string) => findEvent(database.owner, { source: 'stripe', id })
const balanceOf = async (owner_id: string) =>
  (await findBalance(database.owner, { owner_kind: 'user', owner_id })).total

describe('the three events of a delayed payment end the same in every order', () => {
  const unpaid = { payment_status: 'unpaid' } as const
  const cases = [
    ['paid late', 'checkout.session.async_payment_succeeded', {}, 500, 'settled'],
    ['failed late', 'checkout.session.async_payment_failed', unpaid, 0, 'failed'],
  ] as const
  describe.each(cases)('%s', (_, lateType, lateFields, credits, state) => {
    test.each([
      ['in order', (events: string[]) => events],
      ['reversed', (events: string[]) => events.toReversed()],
      ['repeated', (events: string[]) => [...events, ...events.toReversed(), ...events]],
    ])('%s', async (_, arrange) => {
      const intent = await buildPurchase(database.server)
      const first = eventOf('checkout.session.completed', sessionOf(intent.id, unpaid))
      const late = eventOf(lateType, sessionOf(intent.id, lateFields))
      const ids = [
        await receiveStripeEvent(database.server, first),
        await receiveStripeEvent(database.server, late),
      ]
      for (const id of arrange(ids)) await handle(id)
      expect(await balanceOf(intent.owner_id)).toBe(credits)
      expect(await findIntent(database.owner, intent.id)).toMatchObject({ state })
    })
  })
})

describe('an event that is none of ours', () => {
  test.each([
    [
      'a session without our reference',
      eventOf('checkout.session.completed', sessionOf('x', { metadata: {} })),
    ],
    ['a type that nothing follows from', eventOf('customer.created', { object: 'customer' })],
    // Every JavaScript object has members of these names; an event that is called so is none of ours.
    ['a type named constructor', eventOf('constructor', { object: 'customer' })],
    ['a type named toString', eventOf('toString', { object: 'customer' })],
    ['a type named __proto__', eventOf('__proto__', { object: 'customer' })],
  ])('an event is marked ignored with a reason: %s', async (_, event) => {
    const id = await receiveStripeEvent(database.server, event)
    await handle(id)
    expect(await eventRow(id)).toMatchObject({ state: 'ignored', reason: expect.any(String), attempts: 0 })
  })
})

test.each(['constructor', 'toString', '__proto__', 'session.created'])(
  'an event of Clerk of the type %s is marked ignored',
  async (type) => {
    const payload = { object: 'event', type, data: {}, timestamp: Date.now() }
    const id = await receiveClerkEvent(database.server, { type, payload })
    await tryEvent(createTestDependencies(database), { source: 'clerk', id })
    expect(await findEvent(database.owner, { source: 'clerk', id })).toMatchObject({
      state: 'ignored',
      attempts: 0,
    })
  },
)

test('an event that overtakes its intent is retried and then grants', async () => {
  const intentId = crypto.randomUUID()
  const id = await receiveStripeEvent(
    database.server,
    eventOf('checkout.session.completed', sessionOf(intentId)),
  )
  await expect(handle(id)).rejects.toThrow(/has not been committed yet/)
  expect(await eventRow(id)).toMatchObject({ state: 'received', attempts: 1 })
  const intent = await buildPurchase(database.server, { id: intentId })
  await handle(id)
  expect(await balanceOf(intent.owner_id)).toBe(500)
})

test('an event that fails every time is failed after the last attempt, with its error', async () => {
  const session = sessionOf(crypto.randomUUID())
  const id = await receiveStripeEvent(database.server, eventOf('checkout.session.completed', session))
  for (let i = 0; i < maximumAttempts; i++)
    await expect(handle(id)).rejects.toThrow(/has not been committed yet/)
  expect(await eventRow(id)).toMatchObject({ state: 'failed', attempts: maximumAttempts })
})
