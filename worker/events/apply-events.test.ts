import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { saveCharge } from '../../schema/charges/charges.ts'
import { findIntent, lockIntent } from '../../schema/checkout/intents.ts'
import { withdrawOutcome } from '../../schema/checkout/outcomes.ts'
import { connectDatabase, type Database } from '../../schema/database/connect.ts'
import { findEvent, type InboxEvent } from '../../schema/inbox/events.ts'
import { markForged } from '../../schema/inbox/known-events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import type { CheckoutEventType } from '../../schema/stripe/event-types.ts'
import type { CheckoutSession, StripeEvent } from '../../schema/stripe/events.ts'
import { countLockWaits } from '../../tests/support/database/lock-waits.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildAdjustment, postTransfer } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { startFaultProxy } from '../../tests/support/faults/fault-proxy.ts'
import { isLong } from '../../tests/support/long.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import { applyEvents } from './apply-events.ts'
import { tryEvent } from './try-event.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const deps = (db: Database = database.worker) => createTestDependencies(database, { db })
const eventRow = async (id: string): Promise<InboxEvent> => {
  const row = await findEvent(database.owner, { source: 'stripe', id })
  if (!row) throw new Error(`There is no event ${id}`)
  return row
}
const balanceOf = (owner_id: string) => findBalance(database.owner, { owner_kind: 'user', owner_id })
const receive = (event: StripeEvent) => receiveStripeEvent(database.server, event)

/** Puts them into the inbox and applies those together; returns what became of each. */
async function applyTogether(events: readonly StripeEvent[], db?: Database): Promise<string[]> {
  const rows = []
  for (const event of events) rows.push(await eventRow(await receive(event)))
  const outcomes = await applyEvents(deps(db), 'stripe', rows)
  return outcomes.map(({ outcome }) => outcome)
}

const paid = (intentId: string, fields: Partial<CheckoutSession> = {}, type?: CheckoutEventType) =>
  eventOf(type ?? 'checkout.session.completed', sessionOf(intentId, fields))

describe('events that are applied together', () => {
  test('events of different owners that are applied together are granted to each, in one transaction', async () => {
    const intents = []
    for (let i = 0; i < 5; i++) intents.push(await buildPurchase(database.server))
    const events = intents.map(({ id }) => paid(id))
    expect(await applyTogether(events)).toEqual(Array(5).fill('applied'))
    const ids = intents.map(({ id }) => id)
    const transfers = await database.owner
      .selectFrom('ledger_transfers')
      .select(sql<string>`xmin::text`.as('transaction'))
      .where('intent_id', 'in', ids)
      .execute()
    expect(transfers).toHaveLength(5)
    expect(new Set(transfers.map(({ transaction }) => transaction)).size).toBe(1)
    for (const [index, { owner_id, id }] of intents.entries()) {
      expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
      expect(await findIntent(database.owner, id)).toMatchObject({ state: 'settled', failure_reason: null })
      expect(await eventRow(events[index]?.id ?? '')).toMatchObject({ state: 'applied', reason: null })
    }
  })

  test('events of one owner that are applied together are granted one after the other', async () => {
    const first = await buildPurchase(database.server)
    const owner = { user_id: first.user_id, owner_id: first.owner_id }
    const second = await buildPurchase(database.server, owner)
    expect(await applyTogether([paid(first.id), paid(second.id)])).toEqual(['applied', 'applied'])
    expect(await balanceOf(first.owner_id)).toMatchObject({ purchased: 1000, version: 2 })
  })

  test('events that are applied together are applied although the inbox does not tell which checkout one of them is about', async () => {
    const [first, second] = [await buildPurchase(database.server), await buildPurchase(database.server)]
    const events = [paid(first.id), paid(second.id)] as const
    const rows = [await eventRow(await receive(events[0])), await eventRow(await receive(events[1]))]
    await database.owner
      .updateTable('inbox_events')
      .set({ client_reference_id: null })
      .where('id', '=', events[0].id)
      .execute()
    const outcomes = await applyEvents(deps(), 'stripe', rows)
    expect(outcomes).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }])
    expect(await balanceOf(first.owner_id)).toMatchObject({ purchased: 500, version: 1 })
    expect(await balanceOf(second.owner_id)).toMatchObject({ purchased: 500, version: 1 })
  })

  test('events that are applied together that report one session ten times grant once', async () => {
    const { id, owner_id } = await buildPurchase(database.server)
    const events = Array.from({ length: 10 }, () => paid(id))
    expect(await applyTogether(events)).toEqual(Array(10).fill('applied'))
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
    expect((await eventRow(events[9]?.id ?? '')).reason).toBe('It is settled already')
  })

  test('events that are applied together and were applied before change nothing', async () => {
    const { id, owner_id } = await buildPurchase(database.server)
    const row = await eventRow(await receive(paid(id)))
    expect(await applyEvents(deps(), 'stripe', [row])).toMatchObject([{ outcome: 'applied' }])
    expect(await applyEvents(deps(), 'stripe', [row])).toEqual([{ outcome: 'finished_before' }])
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
  })

  const unpaid = { payment_status: 'unpaid' } as const
  test.each([
    ['in order', (events: StripeEvent[]) => events],
    ['reversed', (events: StripeEvent[]) => events.toReversed()],
  ])('events that tell of a delayed payment %s settle it', async (_, arrange) => {
    const { id, owner_id } = await buildPurchase(database.server)
    const other = await buildPurchase(database.server)
    const events = [paid(id, unpaid), paid(id, {}, 'checkout.session.async_payment_succeeded')]
    expect(await applyTogether([...arrange(events), paid(other.id, unpaid)])).toEqual(
      Array(3).fill('applied'),
    )
    expect(await findIntent(database.owner, id)).toMatchObject({ state: 'settled' })
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
    expect(await findIntent(database.owner, other.id)).toMatchObject({ state: 'awaiting_payment' })
    expect(await balanceOf(other.owner_id)).toMatchObject({ purchased: 0, version: 0 })
  })

  test('events that are applied together and are none of ours are ignored with a reason beside those that are', async () => {
    const { id, owner_id } = await buildPurchase(database.server)
    const foreign = paid(randomUUID(), { metadata: {} })
    const outcomes = await applyTogether([
      foreign,
      paid(id),
      eventOf('customer.created', { object: 'customer' }),
    ])
    expect(outcomes).toEqual(['ignored', 'applied', 'ignored'])
    expect(await eventRow(foreign.id)).toMatchObject({ state: 'ignored', reason: expect.any(String) })
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })
})

test('what went back of a payment while its event waited is taken back at once', async () => {
  const { id, owner_kind, owner_id } = await buildPurchase(database.server)
  const event = paid(id)
  const row = await eventRow(await receive(event))
  const refunded = await database.worker.transaction().execute(async (trx) => {
    await lockIntent(trx, id)
    const applied = applyEvents(deps(), 'stripe', [row])
    while ((await countLockWaits(database.owner)) === 0) await delay(5)
    await saveCharge(trx, {
      owner_kind,
      owner_id,
      stripe_charge_id: `ch_${id}`,
      intent_id: id,
      stripe_invoice_id: null,
      amount_minor: 700,
      refunded_minor: 350,
      unused_refund_minor: 0,
      refunded_before_minor: 0,
      disputed_minor: 0,
      dispute_state: null,
      dispute_state_at: null,
      dispute_due_at: null,
      snapshot_order: 1,
    })
    return { applied }
  })
  expect(await refunded.applied).toMatchObject([{ outcome: 'applied' }])
  expect(await balanceOf(owner_id)).toMatchObject({ purchased: 250 })
})

describe('among events that are applied together', () => {
  test.each([
    ['refused', 'one that contradicts what was promised', { amount_total: 1 }],
    ['refused', 'one of a form that we do not know', { status: 'of the future' as 'open' }],
    ['to_be_fetched', 'one that has to be fetched', { mode: 'subscription', subscription: 'sub_1' } as const],
  ])('%s: %s is left as it was', async (outcome, _, fields) => {
    const [before, odd, after] = [
      await buildPurchase(database.server),
      await buildPurchase(database.server),
      await buildPurchase(database.server),
    ]
    const event = paid(odd.id, fields)
    const outcomes = await applyTogether([paid(before.id), event, paid(after.id)])
    expect(outcomes).toEqual(['applied', outcome, 'applied'])
    expect(await eventRow(event.id)).toMatchObject({ state: 'received', attempts: 0 })
    expect(await findIntent(database.owner, odd.id)).toMatchObject({ state: 'created' })
    expect(await balanceOf(odd.owner_id)).toMatchObject({ version: 0 })
    for (const { owner_id } of [before, after])
      expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })

  test('one whose intent is not committed yet is left as it was', async () => {
    const { id, owner_id } = await buildPurchase(database.server)
    const early = paid(randomUUID())
    expect(await applyTogether([early, paid(id)])).toEqual(['refused', 'applied'])
    expect(await eventRow(early.id)).toMatchObject({ state: 'received' })
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })

  test('a forged one stays forged, and the genuine news of a withdrawn checkout settles it', async () => {
    const { id, owner_id } = await buildPurchase(database.server)
    const forged = await eventRow(await receive(paid(id)))
    await database.worker.transaction().execute(async (trx) => {
      await markForged(trx, forged, 'Stripe does not know it')
      await withdrawOutcome(trx, { id, state: 'open', stripe_session_id: `cs_test_${id}`, now: new Date() })
    })
    expect(await applyEvents(deps(), 'stripe', [forged])).toEqual([{ outcome: 'finished_before' }])
    expect(await balanceOf(owner_id)).toMatchObject({ version: 0 })
    expect(await applyTogether([paid(id)])).toEqual(['applied'])
    expect(await eventRow(forged.id)).toMatchObject({ state: 'forged' })
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500 })
  })

  test('one that the ledger refuses keeps all of them from being applied', async () => {
    const [good, poisoned] = [await buildPurchase(database.server), await buildPurchase(database.server)]
    await postUnder(`checkout/cs_test_${poisoned.id}`)
    const events = [paid(good.id), paid(poisoned.id)]
    await expect(applyTogether(events)).rejects.toThrow(/was posted before with another input/)
    for (const { id } of events) expect(await eventRow(id)).toMatchObject({ state: 'received', attempts: 0 })
    expect(await findIntent(database.owner, good.id)).toMatchObject({ state: 'created' })
    expect(await balanceOf(good.owner_id)).toMatchObject({ version: 0 })
  })
})

/** A transfer of another owner with the key of a purchase. */
async function postUnder(idempotency_key: string): Promise<void> {
  const owner = { owner_kind: 'user', owner_id: await buildUser(database.server) } as const
  await postTransfer(database.worker, buildAdjustment(owner, 1, { idempotency_key }))
}

test('a connection that is lost at any statement leaves all of them or none applied, and the next try grants once', async () => {
  const proxy = await startFaultProxy(database.url)
  try {
    let hits = 0
    for (const moment of ['before', 'after'] as const) {
      for (let statement = 1; ; statement++) {
        const connection = connectDatabase({
          connectionString: proxy.url(database.url),
          role: 'tidemark_worker',
          poolMax: 1,
          onError: () => undefined,
        })
        const intents = [await buildPurchase(database.server), await buildPurchase(database.server)]
        const rows = []
        for (const { id } of intents) rows.push(await eventRow(await receive(paid(id))))
        proxy.strike({ statement, moment })
        await applyEvents(deps(connection.db), 'stripe', rows).catch(() => undefined)
        const isHit = proxy.struck
        proxy.disarm()
        proxy.repair()
        await connection.close()
        const states = []
        for (const { id } of rows) states.push((await eventRow(id)).state)
        expect(new Set(states).size, `lost ${moment} statement ${statement}`).toBe(1)
        await applyEvents(deps(), 'stripe', rows)
        for (const { owner_id } of intents) {
          expect(await balanceOf(owner_id)).toMatchObject({ purchased: 500, version: 1 })
        }
        if (!isHit) break
        hits++
      }
    }
    expect(hits, 'statements at which the connection was lost').toBeGreaterThan(12)
  } finally {
    await proxy.close()
  }
})

test('workers that apply the same events in batches of their own, in any order, grant each once', async () => {
  const owners = [await buildUser(database.server), await buildUser(database.server)]
  const intents = []
  for (let i = 0; i < 12; i++) {
    const owner_id = owners[i % 2] ?? ''
    intents.push(await buildPurchase(database.server, { user_id: owner_id, owner_id }))
  }
  const rows = []
  for (const { id } of intents) rows.push(await eventRow(await receive(paid(id))))
  const orders = [rows, rows.toReversed(), rows.slice(6).concat(rows.slice(0, 6)), rows.slice(3, 9)]
  await Promise.all(orders.map((events) => applyEvents(deps(), 'stripe', events)))
  for (const owner_id of owners) {
    expect(await balanceOf(owner_id)).toMatchObject({ purchased: 3000, version: 6 })
  }
})

/** What may be told of a checkout, in any order and any number of times. */
const tellings = {
  paid: (id: string) => paid(id),
  unpaid: (id: string) => paid(id, { payment_status: 'unpaid' }),
  paid_late: (id: string) => paid(id, {}, 'checkout.session.async_payment_succeeded'),
  failed: (id: string) => paid(id, { payment_status: 'unpaid' }, 'checkout.session.async_payment_failed'),
  expired: (id: string) =>
    paid(id, { payment_status: 'unpaid', status: 'expired' }, 'checkout.session.expired'),
  wrong: (id: string) => paid(id, { amount_total: 1 }),
  of_nobody: () => paid(randomUUID()),
} as const
type Telling = keyof typeof tellings

const history = fc.record({
  /** Whose checkout each one is. */
  checkouts: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
  events: fc.array(
    fc.tuple(fc.nat(3), fc.constantFrom(...(Object.keys(tellings) as Telling[])), fc.boolean()),
    { minLength: 1, maxLength: 14 },
  ),
})

test('any events that are applied in any batches end as they do one by one', async () => {
  const property = fc.asyncProperty(history, async ({ checkouts, events }) => {
    const build = async () => {
      const owners = []
      for (let i = 0; i < 3; i++) owners.push(await buildUser(database.server))
      const intents = []
      for (const owner of checkouts) {
        const owner_id = owners[owner] ?? ''
        intents.push(await buildPurchase(database.server, { user_id: owner_id, owner_id }))
      }
      const rows = []
      for (const [index, telling] of events) {
        const { id } = intents[index % intents.length] ?? { id: '' }
        rows.push(await eventRow(await receive(tellings[telling](id))))
      }
      return { owners, intents, rows }
    }
    const alone = (row: InboxEvent) => tryEvent(deps(), row).catch(() => undefined)

    const single = await build()
    for (const row of single.rows) await alone(row)

    const batched = await build()
    let batch: InboxEvent[] = []
    for (const [index, row] of batched.rows.entries()) {
      batch.push(row)
      if (!events[index]?.[2] && index < batched.rows.length - 1) continue
      const outcomes = await applyEvents(deps(), 'stripe', batch)
      for (const [index, each] of batch.entries())
        if (outcomes[index]?.outcome === 'refused') await alone(each)
      batch = []
    }
    expect(await stateOf(batched)).toEqual(await stateOf(single))
  })
  await fc.assert(property, isLong ? { numRuns: 15 } : { numRuns: 5, seed: 1 })
})

/** All that can be seen of it, without what differs from one to the other. */
async function stateOf({
  owners,
  intents,
  rows,
}: {
  owners: readonly string[]
  intents: readonly { readonly id: string }[]
  rows: readonly InboxEvent[]
}) {
  const unnamed = (text: string | null) => text?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…') ?? null
  const states = []
  for (const { id } of intents) {
    const intent = await findIntent(database.owner, id)
    states.push([intent?.state, intent?.failure_reason])
  }
  const balances = []
  for (const owner_id of owners) {
    const { plan, purchased, version } = await balanceOf(owner_id)
    balances.push({ plan, purchased, version })
  }
  const finished = []
  for (const { id } of rows) {
    const { state, reason, attempts } = await eventRow(id)
    finished.push([state, unnamed(reason), attempts])
  }
  return { states, balances, finished }
}
