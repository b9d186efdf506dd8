import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { differencesOfLists } from '../../tests/support/database/waiting-lists.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import {
  attachSession,
  type CheckoutFailure,
  failIntent,
  insertIntent,
  type NewSubscriptionCheckout,
  refusedByBank,
} from '../checkout/intents.ts'
import { expireIntent } from '../checkout/open-checkouts.ts'
import { recordOutcomes, setOwner, settleIntent, withdrawOutcome } from '../checkout/outcomes.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import { retryTransactionAfter } from '../database/one-trip.ts'
import {
  type EventKey,
  failEvent,
  lockEvents,
  type ReceivedEvent,
  receiveEvents,
  settleEvents,
} from '../inbox/events.ts'
import { markForged } from '../inbox/known-events.ts'
import { claimDue } from './claim-due.ts'
import { recordFailedTry, recordFruitlessTry } from './record-try.ts'

const database = testDatabase()
const now = new Date('2030-01-01T00:00:00Z')
const later = new Date('2030-01-02T00:00:00Z')

beforeEach(async () => {
  for (const table of ['inbox_events', 'checkout_intents'] as const) {
    await database.owner.deleteFrom(table).execute()
  }
})

const expectListsToAgree = async () => expect(await differencesOfLists(database.owner)).toEqual([])
const listedEvents = async () =>
  (await database.worker.selectFrom('inbox_waiting').select('id').orderBy('id').execute()).map(({ id }) => id)
const listedIntents = async () =>
  (await database.worker.selectFrom('checkout_waiting').select('id').execute()).map(({ id }) => id)

async function receive(count = 1): Promise<EventKey[]> {
  const events = Array.from(
    { length: count },
    (): ReceivedEvent => ({
      source: 'stripe',
      id: `evt_${randomUUID()}`,
      type: 'invoice.paid',
      payload: {},
      occurred_at: now,
      received_at: now,
      sweep_at: now,
    }),
  )
  await receiveEvents(database.server, events)
  return events.map(({ source, id }) => ({ source, id }))
}

const inTransaction = <T>(work: (trx: DatabaseTransaction) => Promise<T>) =>
  database.worker.transaction().execute(work)
const settle = (keys: readonly EventKey[]) =>
  inTransaction((trx) =>
    settleEvents(
      trx,
      keys.map((key) => ({ ...key, state: 'applied', reason: null })),
      now,
    ),
  )

describe('an event is listed while it waits:', () => {
  test('from when it is received until it is applied, one or several at once', async () => {
    const [first, second, third] = (await receive(3)) as [EventKey, EventKey, EventKey]
    expect(await listedEvents()).toHaveLength(3)
    await settle([first, third])
    expect(await listedEvents()).toEqual([second.id])
    await expectListsToAgree()
  })

  test('once, however often it is delivered', async () => {
    const [key] = (await receive()) as [EventKey]
    const again = {
      ...key,
      type: 'invoice.paid',
      payload: {},
      occurred_at: now,
      received_at: later,
      sweep_at: later,
    }
    await receiveEvents(database.server, [again])
    expect(await listedEvents()).toEqual([key.id])
    await settle([key])
    await receiveEvents(database.server, [again])
    expect(await listedEvents()).toEqual([])
    await expectListsToAgree()
  })

  test('not when it failed, was ignored or was forged', async () => {
    const [failed, ignored, forged] = (await receive(3)) as [EventKey, EventKey, EventKey]
    await failEvent(database.worker, failed, { reason: 'No', now })
    await inTransaction((trx) =>
      settleEvents(trx, [{ ...ignored, state: 'ignored', reason: 'Not ours' }], now),
    )
    await markForged(database.worker, forged, 'Stripe does not know it')
    expect(await listedEvents()).toEqual([])
    const set_aside = await database.worker.selectFrom('inbox_events').select('set_aside').execute()
    expect(set_aside.map((row) => row.set_aside).sort()).toEqual(['failed', 'forged', 'ignored'])
    await settle([failed])
    await expectListsToAgree()
  })

  test('with the time at which it is tried next', async () => {
    const [key] = (await receive()) as [EventKey]
    const due = { now, first_wait_ms: 60_000, limit: 10 }
    expect(await claimDue(database.worker, 'inbox_events', due)).toEqual([{ ...key, claim: 1 }])
    await expectListsToAgree()
    const tried = { table: 'inbox_events', key: { ...key }, claim: 1 } as const
    await recordFailedTry(database.worker, tried, { last_error: 'No', sweep_at: later, unavailable_at: null })
    await expectListsToAgree()
    expect(await claimDue(database.worker, 'inbox_events', due)).toEqual([])
    expect(await claimDue(database.worker, 'inbox_events', { ...due, now: later })).toHaveLength(1)
  })

  test('where it belongs, whoever changes its row by hand', async () => {
    const [moved, kept, gone] = (await receive(3)) as [EventKey, EventKey, EventKey]
    const change = database.owner.updateTable('inbox_events')
    await change.set({ received_at: later }).where('id', '=', moved.id).execute()
    await change.set({ sweep_at: later }).where('id', '=', kept.id).execute()
    await database.owner.deleteFrom('inbox_events').where('id', '=', gone.id).execute()
    expect(await listedEvents()).toEqual([moved.id, kept.id].sort())
    await expectListsToAgree()
    await settle([moved, kept])
    expect(await listedEvents()).toEqual([])
  })

  test('not when what would have settled it was rolled back', async () => {
    const keys = await receive(2)
    const settling = inTransaction(async (trx) => {
      await settleEvents(
        trx,
        keys.map((key) => ({ ...key, state: 'applied', reason: null })),
        now,
      )
      throw new Error('Killed')
    })
    await expect(settling).rejects.toThrow('Killed')
    expect(await listedEvents()).toHaveLength(2)
  })
})

describe('a checkout is listed while it waits:', () => {
  test('until it is settled, has failed or has expired', async () => {
    const [settled, failed, expired, open] = await Promise.all(
      ['cs_1', undefined, undefined, 'cs_2'].map((stripe_session_id) =>
        buildPurchase(database.server, stripe_session_id ? { stripe_session_id } : {}),
      ),
    )
    await expectListsToAgree()
    await inTransaction((trx) => settleIntent(trx, { id: String(settled?.id), stripe_session_id: 'cs_1' }))
    await failIntent(database.server, {
      id: String(failed?.id),
      failure_code: 'refused_by_stripe',
      failure_reason: 'Refused',
    })
    await expireIntent(database.server, { id: String(expired?.id), state: 'created' })
    expect(await listedIntents()).toEqual([open?.id])
    await expectListsToAgree()
  })

  test('again, after forged news were taken back', async () => {
    const { id } = await buildPurchase(database.server, { stripe_session_id: 'cs_1' })
    await inTransaction((trx) => settleIntent(trx, { id, stripe_session_id: 'cs_1' }))
    expect(await listedIntents()).toEqual([])
    const stripe_session_id = 'cs_1'
    await inTransaction((trx) => withdrawOutcome(trx, { id, stripe_session_id, state: 'open', now }))
    expect(await listedIntents()).toEqual([id])
    await expectListsToAgree()
  })

  test('under whom it is for, and with the time at which it is looked at next', async () => {
    const buyer = await buildPurchase(database.server, { sweep_at: later })
    const id = randomUUID()
    const checkout: NewSubscriptionCheckout = {
      id,
      kind: 'subscription',
      user_id: buyer.user_id,
      owner_kind: 'organization',
      owner_id: null,
      plan_type: 'teams',
      billing_frequency: 'monthly',
      seats: 2,
      credits_per_seat: 500,
      trial_days: 0,
      credits: 1000,
      amount_minor: 4000,
      currency: 'EUR',
      created_at: now,
      sweep_at: now,
    }
    await insertIntent(database.server, checkout)
    await attachSession(database.server, { id, stripe_session_id: 'cs_team' })
    await expectListsToAgree()
    const [claimed] = await claimDue(database.worker, 'checkout_intents', {
      now,
      first_wait_ms: 60_000,
      limit: 10,
    })
    expect(claimed).toEqual({ id, claim: 1 })
    await expectListsToAgree()
    await recordFruitlessTry(database.worker, { table: 'checkout_intents', key: { id }, claim: 1 }, later)
    await inTransaction((trx) => setOwner(trx, { id, owner_id: 'org_new' }))
    await expectListsToAgree()
    const listed = await database.worker
      .selectFrom('checkout_waiting')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(listed).toMatchObject({ user_id: buyer.user_id, receiver_id: 'org_new', sweep_at: later })
  })

  test('as trouble for a person when it is stuck or failed, and not when the bank refused', async () => {
    const trouble = async (id: string) =>
      (
        await database.worker
          .selectFrom('checkout_intents')
          .select('trouble')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).trouble
    const { id } = await buildPurchase(database.server, { stripe_session_id: 'cs_1', sweep_at: now })
    expect(await trouble(id)).toBeNull()
    await claimDue(database.worker, 'checkout_intents', { now, first_wait_ms: 60_000, limit: 10 })
    const tried = { table: 'checkout_intents', key: { id }, claim: 1 } as const
    await recordFailedTry(database.worker, tried, { last_error: 'No', sweep_at: later, unavailable_at: null })
    expect(await trouble(id)).toBe('stuck')
    const fail = (failure_code: CheckoutFailure['failure_code']) =>
      inTransaction((trx) =>
        recordOutcomes(trx, [
          {
            id,
            stripe_session_id: 'cs_1',
            state: 'failed',
            failure: { failure_code, failure_reason: 'No' },
          },
        ]),
      )
    await fail('contradiction')
    expect(await trouble(id)).toBe('failed')
    for (const refusal of refusedByBank) {
      await fail(refusal)
      expect(await trouble(id), refusal).toBeNull()
    }
    await inTransaction((trx) => settleIntent(trx, { id, stripe_session_id: 'cs_1' }))
    expect(await trouble(id)).toBeNull()
  })
})

test('the server and the worker cannot write the lists', async () => {
  await receive()
  await buildPurchase(database.server)
  for (const db of [database.server, database.worker]) {
    for (const list of ['inbox_waiting', 'checkout_waiting'] as const) {
      await expect(db.deleteFrom(list).execute()).rejects.toThrow('permission denied')
      await expect(db.updateTable(list).set({ sweep_at: later }).execute()).rejects.toThrow(
        'permission denied',
      )
    }
  }
})

/** Rows of both tables that were changed, and those of them that no index was told of. Whatever this connection did before is counted too. */
async function countChanges(trx: DatabaseTransaction): Promise<{ rows: number; in_place: number }> {
  const { rows } = await sql<{ rows: number; in_place: number }>`
    SELECT coalesce(sum(n_tup_upd), 0)::int AS rows, coalesce(sum(n_tup_hot_upd), 0)::int AS in_place FROM pg_stat_xact_user_tables
    WHERE relname IN ('inbox_events', 'checkout_intents')`.execute(trx)
  const [counted] = rows
  if (!counted) throw new Error('Nothing was counted')
  return counted
}

test('settling an event and its checkout writes no entry of an index of theirs', async () => {
  const keys = await receive(20)
  const intents = await Promise.all(
    keys.map(({ id }) => buildPurchase(database.server, { stripe_session_id: `cs_${id}` })),
  )
  const lock = (trip: DatabaseTransaction) =>
    lockEvents(trip, { source: 'stripe', ids: keys.map(({ id }) => id) })
  const changed = await retryTransactionAfter(database.worker, lock, async (trx) => {
    const before = await countChanges(trx)
    await recordOutcomes(
      trx,
      intents.map(({ id }, index) => ({ id, stripe_session_id: `cs_${keys[index]?.id}`, state: 'settled' })),
    )
    await settleEvents(
      trx,
      keys.map((key) => ({ ...key, state: 'applied', reason: null })),
      now,
    )
    const after = await countChanges(trx)
    return { rows: after.rows - before.rows, in_place: after.in_place - before.in_place }
  })
  expect(changed).toEqual({ rows: 40, in_place: 40 })
  await expectListsToAgree()
})
