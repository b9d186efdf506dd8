import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { saveCharge } from '../../schema/billing/charges/charges.ts'
import { attachSession, findIntent, lockIntent } from '../../schema/billing/checkout/intents.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { countLockWaits } from '../../tests/support/database/lock-waits.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import {
  eventOf,
  receiveCheckoutEvent,
  receiveStripeEvent,
  sessionOf,
} from '../../tests/support/factories/events.ts'
import { chargeOf } from '../../tests/support/factories/paid-months.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildGrant, postTransfer } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { startFaultProxy } from '../../tests/support/faults/fault-proxy.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { maximumAttempts } from '../failures.ts'
import { processCheckoutCompletion } from '../jobs/checkout-completion.ts'
import { tryEvent } from './try-event.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
booksEndRight(database)

const handle = (id: string, claim?: number, deps: WorkerDependencies = worker.deps) =>
  tryEvent(deps, { source: 'stripe', id }, claim)
const eventRow = (id: string) => findEvent(database.owner, { source: 'stripe', id })
const balanceOf = (owner_id: string) => findBalance(database.owner, owner_id)

const receive = (checkout: Pick<PaidPurchase, 'session_id' | 'intent_id'>, type?: string) =>
  receiveCheckoutEvent(database.server, checkout, type)

describe('the event of a paid purchase', () => {
  test('the event of a paid purchase grants once, however often it comes and is tried', async () => {
    const bought = await buildPaidCredits(product)
    const ids = [await receive(bought), await receive(bought), await receive(bought)]
    for (const id of ids) await handle(id)
    for (const id of ids) await handle(id)
    expect(await balanceOf(bought.owner_id)).toMatchObject({ purchased: 500, version: 1 })
    expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'settled' })
    expect(await eventRow(ids[0] ?? '')).toMatchObject({ state: 'applied', reason: null })
    expect(await eventRow(ids[2] ?? '')).toMatchObject({ reason: 'done_already' })
  })

  test('the event of a paid purchase grants once when workers and the return page have it at the same time', async () => {
    const bought = await buildPaidCredits(product)
    const [id, other] = [await receive(bought), await receive(bought)]
    const payload = { intent_id: bought.intent_id, cause: 'return_page' } as const
    await Promise.all([
      ...Array.from({ length: 5 }, () => handle(id)),
      handle(other),
      processCheckoutCompletion(worker.deps, payload),
    ])
    expect(await balanceOf(bought.owner_id)).toMatchObject({ purchased: 500, version: 1 })
  })

  test('the event of a paid purchase that claims more than Stripe says grants nothing', async () => {
    const opened = await buildOpenCredits(product)
    const id = await receive(opened)
    await handle(id)
    expect(await eventRow(id)).toMatchObject({ state: 'applied', reason: 'nothing_paid' })
    expect(await balanceOf(opened.owner_id)).toMatchObject({ version: 0 })
  })

  test('the event that names another’s paid session with one’s own order grants to the payer alone', async () => {
    const [opened, paid] = [await buildOpenCredits(product), await buildPaidCredits(product)]
    const { id: claiming } = await buildPurchase(database.server)
    await expect(
      attachSession(database.server, { id: claiming, stripe_session_id: paid.session_id }),
    ).rejects.toMatchObject({ code: '23505' })
    const id = await receive({ intent_id: opened.intent_id, session_id: paid.session_id })
    await handle(id)
    expect(await balanceOf(opened.owner_id)).toMatchObject({ version: 0 })
    expect(await findIntent(database.owner, opened.intent_id)).toMatchObject({ state: 'open' })
    expect(await balanceOf(paid.owner_id)).toMatchObject({ purchased: 500, version: 1 })
  })
})

test('a connection that is lost at any statement leaves all of an event or none of it, and the next try grants once', async () => {
  const proxy = await startFaultProxy(database.url)
  try {
    let hits = 0
    for (const moment of ['before', 'after'] as const) {
      for (let statement = 1; ; statement++) {
        const connection = connectForTest(proxy.url(database.url), { role: 'tidemark_worker', poolMax: 1 })
        const bought = await buildPaidCredits(product)
        const id = await receive(bought)
        proxy.strike({ statement, moment })
        await handle(id, undefined, { ...worker.deps, db: connection.db }).catch(() => undefined)
        const isHit = proxy.struck
        proxy.disarm()
        proxy.repair()
        await connection.close()
        const where = `lost ${moment} statement ${statement}`
        const isApplied = (await eventRow(id))?.state === 'applied'
        expect((await balanceOf(bought.owner_id)).total, where).toBe(isApplied ? 500 : 0)
        await handle(id)
        expect(await balanceOf(bought.owner_id), where).toMatchObject({ purchased: 500, version: 1 })
        if (!isHit) break
        hits++
      }
    }
    expect(hits, 'statements at which the connection was lost').toBeGreaterThan(12)
  } finally {
    await proxy.close()
  }
})

test('what went back of a payment while its event waited is taken back at once', async () => {
  const bought = await buildPaidCredits(product)
  const id = await receive(bought)
  const waiting = await database.worker.transaction().execute(async (trx) => {
    await lockIntent(trx, bought.intent_id)
    const applied = handle(id)
    while ((await countLockWaits(database.owner)) === 0) await delay(5)
    const charge = chargeOf(bought.owner_id, `ch_${bought.intent_id}`)
    await saveCharge(trx, { ...charge, intent_id: bought.intent_id, refunded_minor: 350 })
    return { applied }
  })
  await waiting.applied
  expect(await balanceOf(bought.owner_id)).toMatchObject({ purchased: 250 })
})

test('an event that the ledger refuses leaves nothing behind and is tried again', async () => {
  const bought = await buildPaidCredits(product)
  const owner_id = await buildUser(database.server)
  const idempotency_key = `checkout/${bought.session_id}`
  await postTransfer(database.worker, buildGrant(owner_id, 1, { idempotency_key }))
  const id = await receive(bought)
  await expect(handle(id)).rejects.toThrow(/was posted before with another input/)
  expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'open' })
  expect(await balanceOf(bought.owner_id)).toMatchObject({ version: 0 })
  expect(await eventRow(id)).toMatchObject({ state: 'failed', attempts: 1 })
})

test.each([
  ['succeeds', 'succeeded', 'checkout.session.async_payment_succeeded', 500, 'settled'],
  ['fails', 'failed', 'checkout.session.async_payment_failed', 0, 'failed'],
] as const)(
  'the events of a delayed payment that %s end the same, repeated and in another order',
  async (_, outcome, lateType, credits, state) => {
    const opened = await buildOpenCredits(product)
    await stripe.knob(`sessions/${opened.session_id}/pay`, { method: 'delayed' })
    const early = await receive(opened)
    await handle(early)
    expect(await findIntent(database.owner, opened.intent_id)).toMatchObject({ state: 'awaiting_payment' })
    const ids = [await receive(opened), await receive(opened, lateType)]
    await stripe.knob(`sessions/${opened.session_id}/settle`, { outcome })
    for (const id of [...ids.toReversed(), ...ids, ...ids.toReversed()]) await handle(id)
    expect((await balanceOf(opened.owner_id)).total).toBe(credits)
    expect(await findIntent(database.owner, opened.intent_id)).toMatchObject({ state })
  },
)

// Every JavaScript object has members of these names; an event that is called so is none of ours.
const strangeTypes = ['constructor', 'toString', '__proto__']

test.each([
  [
    'a session without our reference',
    eventOf('checkout.session.completed', sessionOf('x', { metadata: {} })),
  ],
  ...['customer.created', ...strangeTypes].map(
    (type) => [`a type named ${type}`, eventOf(type, { object: 'customer' })] as const,
  ),
] as const)('an event of Stripe is marked ignored with a reason: %s', async (_, event) => {
  const id = await receiveStripeEvent(database.server, event)
  await handle(id)
  expect(await eventRow(id)).toMatchObject({ state: 'ignored', reason: expect.any(String), attempts: 0 })
})

test.each([...strangeTypes, 'session.created'])(
  'an event of Clerk of the type %s is marked ignored',
  async (type) => {
    const payload = { object: 'event', type, data: {}, timestamp: Date.now() }
    const event = await worker.applyClerk({ type, payload })
    expect(event).toMatchObject({ state: 'ignored', attempts: 0 })
  },
)

test('an event that overtakes its intent is retried and then grants, and fails after the last attempt', async () => {
  const bought = await buildPaidCredits(product)
  await database.owner.deleteFrom('checkout_intents').where('id', '=', bought.intent_id).execute()
  const [id, never] = [await receive(bought), await receive(bought)]
  for (let i = 0; i < maximumAttempts; i++)
    await expect(handle(never)).rejects.toThrow(/^not_found {"what":"checkout"/)
  expect(await eventRow(never)).toMatchObject({ state: 'failed', attempts: maximumAttempts })
  await expect(handle(id)).rejects.toThrow(/^not_found {"what":"checkout"/)
  expect(await eventRow(id)).toMatchObject({ state: 'received', attempts: 1 })
  const { user_id, owner_id } = bought
  await buildPurchase(database.server, { id: bought.intent_id, user_id, owner_id })
  await attachSession(database.server, { id: bought.intent_id, stripe_session_id: bought.session_id })
  await handle(id)
  expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
})
