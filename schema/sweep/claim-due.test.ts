import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { receiveEvent, settleEvent } from '../inbox/events.ts'
import { acceptInvitation, failInvitationSync, reserveInvitation } from '../invitations/invitations.ts'
import { failSubscriptionSync } from '../subscriptions/snapshots.ts'
import { claimDue } from './claim-due.ts'

const now = new Date('2030-01-01T00:00:00Z')
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const minuteMs = 60_000

const database = testDatabase()
beforeEach(async () => {
  const tables = ['seats', 'team_invitations', 'subscriptions', 'checkout_intents', 'inbox_events'] as const
  for (const table of tables) await database.owner.deleteFrom(table).execute()
})

async function insertEvent(sweep_at = now): Promise<{ source: 'stripe'; id: string }> {
  const key = { source: 'stripe', id: crypto.randomUUID() } as const
  const times = { occurred_at: now, received_at: now, sweep_at }
  await receiveEvent(database.server, { ...key, type: 'test', payload: {}, ...times })
  return key
}

async function insertInvitation(): Promise<string> {
  const inviter_id = await buildUser(database.server)
  const organization_id = `org_${crypto.randomUUID()}`
  const owner = { owner_kind: 'organization', owner_id: organization_id } as const
  const { id: subscription_id } = await buildSubscription(database, { owner, user_id: inviter_id })
  const invitation = {
    id: crypto.randomUUID(),
    organization_id,
    subscription_id,
    inviter_id,
    email: 'ada@tidemark.test',
    role: 'member',
    expires_at: now,
    sweep_at: now,
  } as const
  await database.server.transaction().execute((trx) => reserveInvitation(trx, invitation))
  return invitation.id
}

const claim = (at: Date, limit = 100) =>
  claimDue(database.worker, 'inbox_events', { now: at, first_wait_ms: minuteMs, limit })

describe('of each table only rows that are due and still wait are claimed:', () => {
  const due = { now, first_wait_ms: minuteMs, limit: 100 }

  test('events that nobody has settled', async () => {
    const waiting = await insertEvent()
    await insertEvent(minutesLater(1))
    await settleEvent(database.worker, await insertEvent(), { state: 'applied', reason: null, now })
    expect(await claimDue(database.worker, 'inbox_events', due)).toEqual([{ ...waiting, claim: 1 }])
  })

  test('checkout intents that something can still happen to', async () => {
    const { id } = await buildPurchase(database.server, { sweep_at: now })
    await buildPurchase(database.server, { sweep_at: minutesLater(1) })
    const over = await buildPurchase(database.server, { sweep_at: now })
    await database.owner
      .updateTable('checkout_intents')
      .set({ state: 'expired' })
      .where('id', '=', over.id)
      .execute()
    expect(await claimDue(database.worker, 'checkout_intents', due)).toEqual([{ id, claim: 1 }])
  })

  test('subscriptions that are not over and can be synced', async () => {
    const insert = async (fields: { sweep_at: Date; status?: 'canceled'; ended_at?: Date }) => {
      const user_id = await buildUser(database.server)
      const owner = { owner_kind: 'user', owner_id: user_id } as const
      return (await buildSubscription(database, { owner, user_id, fields })).id
    }
    const stripe_subscription_id = await insert({ sweep_at: now })
    await insert({ sweep_at: minutesLater(1) })
    await insert({ sweep_at: now, status: 'canceled', ended_at: now })
    const failed = await insert({ sweep_at: now })
    await failSubscriptionSync(database.worker, { id: failed, reason: 'It has two items', now })
    expect(await claimDue(database.worker, 'subscriptions', due)).toEqual([
      { stripe_subscription_id, claim: 1 },
    ])
  })

  test('invitations that Clerk has not been asked about, and can be', async () => {
    const id = await insertInvitation()
    const accepted = await insertInvitation()
    await database.worker.transaction().execute((trx) => acceptInvitation(trx, accepted))
    const failed = await insertInvitation()
    await failInvitationSync(database.worker, { id: failed, reason: 'Clerk refuses to say', now })
    expect(await claimDue(database.worker, 'team_invitations', due)).toEqual([{ id, claim: 1 }])
  })
})

test('while nothing is heard of its tries, a row waits twice as long after every claim, up to ten minutes', async () => {
  await insertEvent()
  const waits: number[] = []
  for (let at = now, i = 0; i < 9; i++) {
    expect(await claim(at)).toHaveLength(1)
    expect(await claim(at)).toHaveLength(0)
    const { sweep_at } = await database.owner
      .selectFrom('inbox_events')
      .select('sweep_at')
      .executeTakeFirstOrThrow()
    waits.push((sweep_at.getTime() - at.getTime()) / minuteMs)
    at = sweep_at
  }
  expect(waits).toEqual([1, 2, 4, 8, 10, 10, 10, 10, 10])
})

test('no more rows than asked for are claimed, the longest overdue first', async () => {
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

test('of the inbox, only events of the sender that was asked for are claimed', async () => {
  const stripe = await insertEvent()
  const due = { now, first_wait_ms: minuteMs, limit: 100 }
  expect(await claimDue(database.worker, 'inbox_events', { ...due, source: 'clerk' })).toEqual([])
  expect(await claimDue(database.worker, 'inbox_events', { ...due, source: 'stripe' })).toMatchObject([
    stripe,
  ])
})

test('claims that run at once share the rows', async () => {
  for (let i = 0; i < 20; i++) await insertEvent()
  const claimed = (await Promise.all([claim(now, 10), claim(now, 10), claim(now, 10)])).flat()
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
  expect([...claimed, ...(await claim(now))]).toHaveLength(20)
})
