import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildPlanOrder, buildPurchase } from '../../../tests/support/factories/purchases.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { attachSession } from './intents.ts'
import { expireIntent, findOpenCheckout } from './open-checkouts.ts'
import { recordOutcome } from './outcomes.ts'

const database = testDatabase()
const taken = { constraint: 'checkout_intents_one_subscription' }

async function openPlan(user_id: string, receiver: { readonly owner_id: string | null }): Promise<string> {
  return (await buildPlanOrder(database, { user_id, plan_type: 'teams', seats: 2, ...receiver })).id
}

test('a receiver has one open checkout of a plan, and any number of credits', async () => {
  const user_id = await buildUser(database.server)
  const organization = { owner_id: `org_${randomUUID()}` }
  const id = await openPlan(user_id, organization)
  await expect(openPlan(await buildUser(database.server), organization)).rejects.toMatchObject(taken)
  await buildPurchase(database.server, { user_id, ...organization })
  expect(await findOpenCheckout(database.server, { user_id, ...organization })).toMatchObject({ id })
})

test('a buyer has one open checkout for an organization that does not exist, beside those of others', async () => {
  const user_id = await buildUser(database.server)
  const id = await openPlan(user_id, { owner_id: null })
  await expect(openPlan(user_id, { owner_id: null })).rejects.toMatchObject(taken)
  await openPlan(user_id, { owner_id: `org_${randomUUID()}` })
  expect(await findOpenCheckout(database.server, { user_id, owner_id: null })).toMatchObject({ id })
})

test('another checkout of a plan may be opened when the last one has expired or is settled', async () => {
  const user_id = await buildUser(database.server)
  const receiver = { owner_id: `org_${randomUUID()}` }
  const expired = await openPlan(user_id, receiver)
  await expireIntent(database.server, { id: expired, state: 'created' })
  const settled = await openPlan(user_id, receiver)
  const session = { id: settled, stripe_session_id: `cs_${settled}`, state: 'settled' } as const
  await attachSession(database.server, session)
  await database.worker.transaction().execute((trx) => recordOutcome(trx, session))
  expect(await findOpenCheckout(database.server, { user_id, ...receiver })).toBeUndefined()
  await openPlan(user_id, receiver)
})
