import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildPurchase } from '../../../tests/support/factories/purchases.ts'
import { buildSubscription } from '../../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { claimableIntents } from '../../billing/checkout/intents.ts'
import { expireIntent } from '../../billing/checkout/open-checkouts.ts'
import { failIntent, recordOutcome } from '../../billing/checkout/outcomes.ts'
import { failSubscriptionSync } from '../../billing/subscriptions/snapshots.ts'
import { claimableSubscriptions } from '../../billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { claimableMails } from '../../mails/mails.ts'
import {
  acceptInvitation,
  claimableInvitations,
  failInvitationSync,
  reserveInvitation,
} from '../../people/invitations/invitations.ts'
import { claimableActs } from '../../support/acts.ts'
import { claimableEvents, failEvent, findEvent, finishEvent } from '../events.ts'
import { storeEvent } from '../store-event.ts'
import { claimDue } from './claim-due.ts'
import { recordFailedTry, recordNoChange } from './record-try.ts'

const now = new Date('2028-01-01T00:00:00Z')
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const minuteMs = 60_000

const database = testDatabase()
beforeEach(async () => {
  const tables = ['seats', 'team_invitations', 'subscriptions', 'checkout_intents', 'inbox_events'] as const
  for (const table of tables) await database.owner.deleteFrom(table).execute()
})

const eventAt = (next_try_at: Date) =>
  ({ type: 'test', payload: {}, occurred_at: now, received_at: now, next_try_at }) as const

async function insertEvent(next_try_at = now): Promise<{ source: 'stripe'; id: string }> {
  const key = { source: 'stripe', id: crypto.randomUUID() } as const
  await storeEvent(database.server, { ...key, ...eventAt(next_try_at) })
  return key
}

async function insertInvitation(): Promise<string> {
  const inviter_id = await buildUser(database.server)
  const organization_id = `org_${crypto.randomUUID()}`

  const { id: subscription_id } = await buildSubscription(database, {
    owner_id: organization_id,
    user_id: inviter_id,
  })
  const invitation = {
    id: crypto.randomUUID(),
    organization_id,
    subscription_id,
    inviter_id,
    email: 'ada@tidemark.test',
    role: 'member',
    expires_at: now,
    next_try_at: now,
  } as const
  await database.server.transaction().execute((trx) => reserveInvitation(trx, invitation))
  return invitation.id
}

const claim = (at: Date, limit = 100) =>
  claimDue(database.worker, claimableEvents, { now: at, first_wait_ms: minuteMs, limit })
const due = { now, first_wait_ms: minuteMs, limit: 100 }
const inTransaction = <T>(work: (trx: DatabaseTransaction) => Promise<T>) =>
  database.worker.transaction().execute(work)

describe('a claim takes only rows that are due and unfinished:', () => {
  test('an event that is received, once however often it is delivered', async () => {
    const waiting = await insertEvent()
    await insertEvent(minutesLater(1))
    await storeEvent(database.server, { ...eventAt(now), ...waiting })
    const [applied, ignored, failed] = [await insertEvent(), await insertEvent(), await insertEvent()]
    await finishEvent(database.worker, applied, { state: 'applied', reason: null, now })
    await finishEvent(database.worker, ignored, { state: 'ignored', reason: 'Not ours', now })
    await failEvent(database.worker, failed, { reason: 'No', now })
    expect(await claimDue(database.worker, claimableEvents, due)).toEqual([{ ...waiting, claim: 1 }])
  })

  test('a checkout intent that can still be settled', async () => {
    const stripe_session_id = 'cs_settled'
    const { id } = await buildPurchase(database.server, { next_try_at: now })
    await buildPurchase(database.server, { next_try_at: minutesLater(1) })
    const settled = await buildPurchase(database.server, { next_try_at: now, stripe_session_id })
    await inTransaction((trx) => recordOutcome(trx, { state: 'settled', id: settled.id, stripe_session_id }))
    const failed = await buildPurchase(database.server, { next_try_at: now })
    await failIntent(database.server, {
      id: failed.id,
      failure_code: 'refused_by_stripe',
      failure_reason: 'Refused',
    })
    const expired = await buildPurchase(database.server, { next_try_at: now })
    await expireIntent(database.server, { id: expired.id, state: 'created' })
    expect(await claimDue(database.worker, claimableIntents, due)).toEqual([{ id, claim: 1 }])
  })

  test('a subscription that has not ended and can be synced', async () => {
    const insert = async (fields: { next_try_at: Date; status?: 'canceled'; ended_at?: Date }) => {
      const user_id = await buildUser(database.server)

      return (await buildSubscription(database, { owner_id: user_id, user_id, fields })).id
    }
    const stripe_subscription_id = await insert({ next_try_at: now })
    await insert({ next_try_at: minutesLater(1) })
    await insert({ next_try_at: now, status: 'canceled', ended_at: now })
    const failed = await insert({ next_try_at: now })
    await failSubscriptionSync(database.worker, { id: failed, reason: 'It has two items', now })
    expect(await claimDue(database.worker, claimableSubscriptions, due)).toEqual([
      { stripe_subscription_id, claim: 1 },
    ])
  })

  test('an invitation about which Clerk has to be asked', async () => {
    const id = await insertInvitation()
    const accepted = await insertInvitation()
    await database.worker.transaction().execute((trx) => acceptInvitation(trx, accepted))
    const failed = await insertInvitation()
    await failInvitationSync(database.worker, { id: failed, reason: 'Clerk refuses to say', now })
    expect(await claimDue(database.worker, claimableInvitations, due)).toEqual([{ id, claim: 1 }])
  })
})

test('a row without a recorded try waits twice as long after every claim, up to ten minutes', async () => {
  const event = await insertEvent()
  const waits: number[] = []
  for (let at = now, i = 0; i < 9; i++) {
    expect(await claim(at)).toHaveLength(1)
    expect(await claim(at)).toHaveLength(0)
    const { next_try_at } = (await findEvent(database.owner, event)) ?? expect.fail('No row')
    waits.push((next_try_at.getTime() - at.getTime()) / minuteMs)
    at = next_try_at
  }
  expect(waits).toEqual([1, 2, 4, 8, 10, 10, 10, 10, 10])
})

test('a claim takes no more rows than asked for, the longest overdue first', async () => {
  const later = await insertEvent(minutesLater(2))
  const first = await insertEvent(minutesLater(0))
  const second = await insertEvent(minutesLater(1))
  expect(await claim(minutesLater(5), 2)).toEqual(
    expect.arrayContaining([
      { ...first, claim: 1 },
      { ...second, claim: 1 },
    ]),
  )
  expect(await claim(minutesLater(5), 2)).toEqual([{ ...later, claim: 1 }])
})

test('a claim of one sender’s events takes no others', async () => {
  const stripe = await insertEvent()
  const claimOf = (source: 'stripe' | 'clerk') =>
    claimDue(database.worker, claimableEvents, { ...due, only: { source } })
  expect(await claimOf('clerk')).toEqual([])
  expect(await claimOf('stripe')).toMatchObject([stripe])
})

test('claims that run at once share the rows', async () => {
  for (let i = 0; i < 20; i++) await insertEvent()
  const claimed = (await Promise.all([claim(now, 10), claim(now, 10), claim(now, 10)])).flat()
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
  expect([...claimed, ...(await claim(now))]).toHaveLength(20)
})

const failure = { last_error: 'No', next_try_at: minutesLater(60), unavailable_at: null }

test('a try that is recorded sets when the row is claimed next, if it failed', async () => {
  const event = await insertEvent()
  await claim(now)
  const tried = { rows: claimableEvents, key: event, claim: 1 } as const
  expect(await recordFailedTry(database.worker, tried, failure)).toBe(true)
  expect(await claim(minutesLater(59))).toEqual([])
  expect(await claim(minutesLater(60))).toEqual([{ ...event, claim: 3 }])
})

test('a try that is recorded sets when the row is claimed next, if it changed nothing', async () => {
  const { id } = await buildPurchase(database.server, { next_try_at: now })
  await claimDue(database.worker, claimableIntents, due)
  const tried = { rows: claimableIntents, key: { id }, claim: 1 } as const
  await recordNoChange(database.worker, tried, minutesLater(60))
  expect(await claimDue(database.worker, claimableIntents, { ...due, now: minutesLater(59) })).toEqual([])
  expect(await claimDue(database.worker, claimableIntents, { ...due, now: minutesLater(60) })).toEqual([
    { id, claim: 3 },
  ])
})

test('a try that is recorded changes nothing once the row was claimed again or is finished', async () => {
  const event = await insertEvent()
  await claim(now)
  const [{ claim: latest } = { claim: 0 }] = await claim(minutesLater(1))
  const before = await findEvent(database.owner, event)
  const tried = { rows: claimableEvents, key: event, claim: latest } as const
  expect(await recordFailedTry(database.worker, { ...tried, claim: 1 }, failure)).toBe(false)
  await finishEvent(database.worker, event, { state: 'applied', reason: null, now })
  expect(await recordFailedTry(database.worker, tried, failure)).toBe(false)
  expect((await findEvent(database.owner, event))?.next_try_at).toEqual(before?.next_try_at)
})

const ofPeople = [claimableInvitations, claimableActs, claimableMails] as const
test.each([claimableEvents, claimableIntents, claimableSubscriptions, ...ofPeople])(
  'the index of unfinished rows has the condition under which $table is claimed',
  async ({ table, unfinished }) => {
    const plan = await database.owner.transaction().execute(async (trx) => {
      await sql`SET LOCAL enable_seqscan = off`.execute(trx)
      await sql`SET LOCAL enable_sort = off`.execute(trx)
      const { rows } = await sql<Record<string, string>>`
        EXPLAIN SELECT 1 FROM ${sql.table(table)} WHERE ${unfinished} ORDER BY next_try_at`.execute(trx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toContain(`using ${table}_due`)
    expect(plan).not.toContain('Sort')
  },
)
