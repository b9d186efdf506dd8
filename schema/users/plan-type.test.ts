import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { insertUser } from '../../tests/support/records.ts'
import { insertSubscription } from '../../tests/support/subscriptions.ts'
import { insertActiveSeat, revokeActiveSeat } from '../seats/seats.ts'
import { liveStatuses, type SubscriptionStatus } from '../stripe/statuses.ts'
import { refreshPlanType } from './plan-type.ts'
import { findUser } from './users.ts'

let database: TestDatabase
let user_id: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())
beforeEach(async () => {
  user_id = await insertUser(database.server)
})

async function plan(): Promise<string | undefined> {
  await database.worker.transaction().execute((trx) => refreshPlanType(trx, [user_id, 'user_unknown']))
  return (await findUser(database.owner, user_id))?.plan_type
}
async function seatIn(organization_id: string): Promise<void> {
  await database.worker
    .transaction()
    .execute((trx) =>
      insertActiveSeat(trx, { organization_id, user_id, email: `${user_id}@a.test`, role: 'member' }),
    )
}
const subscribe = (owner_kind: 'user' | 'organization', owner_id: string) =>
  insertSubscription(database, { owner: { owner_kind, owner_id }, user_id })
const setStatus = (id: string, status: SubscriptionStatus) =>
  database.owner
    .updateTable('subscriptions')
    .set({ status, ended_at: status === 'canceled' ? new Date() : null })
    .where('stripe_subscription_id', '=', id)
    .execute()
const organization = () => `org_${user_id.slice(5)}`

test('somebody with nothing is a starter', async () => {
  expect(await plan()).toBe('starter')
})

test('a subscription of one’s own counts in every live status and not when it is over', async () => {
  const { id } = await subscribe('user', user_id)
  for (const status of liveStatuses) {
    await setStatus(id, status)
    expect(await plan(), status).toBe('pro')
  }
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('starter')
})

test('a seat counts while it is active and its organization’s subscription lives', async () => {
  const { id } = await subscribe('organization', organization())
  expect(await plan()).toBe('starter')
  await seatIn(organization())
  expect(await plan()).toBe('teams')
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('starter')
  await setStatus(id, 'active')
  await database.worker
    .transaction()
    .execute((trx) => revokeActiveSeat(trx, { organization_id: organization(), user_id }))
  expect(await plan()).toBe('starter')
})

test('one’s own subscription comes before a seat, and a second seat keeps the plan', async () => {
  const { id } = await subscribe('user', user_id)
  for (const suffix of ['1', '2']) {
    await subscribe('organization', organization() + suffix)
    await seatIn(organization() + suffix)
  }
  expect(await plan()).toBe('pro')
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('teams')
  await database.worker
    .transaction()
    .execute((trx) => revokeActiveSeat(trx, { organization_id: `${organization()}1`, user_id }))
  expect(await plan()).toBe('teams')
})
