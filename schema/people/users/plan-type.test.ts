import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildSubscription } from '../../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { madeForEachTest } from '../../../tests/support/made.ts'
import { liveStatuses, type SubscriptionStatus } from '../../vendors/stripe/statuses.ts'
import { insertSeat, revokeActiveSeat } from '../seats/seats.ts'
import { refreshPlanType } from './plan-type.ts'
import { findUser } from './users.ts'

const database = testDatabase()
const user = madeForEachTest(async () => ({ user_id: await buildUser(database.server) }))

async function plan(): Promise<string | undefined> {
  await database.worker.transaction().execute((trx) => refreshPlanType(trx, [user.user_id, 'user_unknown']))
  return (await findUser(database.owner, user.user_id))?.plan_type
}
async function seatIn(organization_id: string): Promise<void> {
  await database.worker
    .transaction()
    .execute((trx) =>
      insertSeat(trx, { ...user, organization_id, email: `${user.user_id}@a.test`, role: 'member' }),
    )
}
const subscribe = (owner_id: string) => buildSubscription(database, { owner_id, ...user })
const setStatus = (id: string, status: SubscriptionStatus) =>
  database.owner
    .updateTable('subscriptions')
    .set({ status, ended_at: status === 'canceled' ? new Date() : null })
    .where('stripe_subscription_id', '=', id)
    .execute()
const organization = () => `org_${user.user_id.slice(5)}`

test('a subscription of one’s own counts in every live status, and not before or when it is over', async () => {
  expect(await plan()).toBe('starter')
  const { id } = await subscribe(user.user_id)
  for (const status of liveStatuses) {
    await setStatus(id, status)
    expect(await plan(), status).toBe('pro')
  }
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('starter')
})

test('a seat counts while it is active and its organization’s subscription lives', async () => {
  const { id } = await subscribe(organization())
  expect(await plan()).toBe('starter')
  await seatIn(organization())
  expect(await plan()).toBe('teams')
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('starter')
  await setStatus(id, 'active')
  await database.worker
    .transaction()
    .execute((trx) => revokeActiveSeat(trx, { organization_id: organization(), ...user }))
  expect(await plan()).toBe('starter')
})

test('one’s own subscription comes before a seat, and a second seat keeps the plan', async () => {
  const { id } = await subscribe(user.user_id)
  for (const suffix of ['1', '2']) {
    await subscribe(organization() + suffix)
    await seatIn(organization() + suffix)
  }
  expect(await plan()).toBe('pro')
  await setStatus(id, 'canceled')
  expect(await plan()).toBe('teams')
  await database.worker
    .transaction()
    .execute((trx) => revokeActiveSeat(trx, { organization_id: `${organization()}1`, ...user }))
  expect(await plan()).toBe('teams')
})
