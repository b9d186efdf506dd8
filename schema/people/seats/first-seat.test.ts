import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildSubscription } from '../../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { giveFirstSeat } from './first-seat.ts'
import { insertSeat, listSeats, revokeActiveSeat } from './seats.ts'

const database = testDatabase()

async function bought(seats: number) {
  const user_id = await buildUser(database.server)
  const organization_id = `org_${randomUUID()}`

  const { id } = await buildSubscription(database, { owner_id: organization_id, user_id, seats })
  return { id, organization_id, user_id, email: `${user_id}@Tidemark.test`, role: 'admin' } as const
}
const give = (buyer: Awaited<ReturnType<typeof bought>>) =>
  database.worker.transaction().execute((trx) => giveFirstSeat(trx, buyer))
const seatsOf = async (organizationId: string) =>
  (await listSeats(database.owner, organizationId)).map(({ user_id, status }) => ({ user_id, status }))

test('the buyer’s first seat is given once by ten calls at once, and by none afterwards', async () => {
  const buyer = await bought(5)
  const results = await Promise.all(Array.from({ length: 10 }, () => give(buyer)))
  expect(results.toSorted()).toEqual(['given', ...Array(9).fill('had_one')])
  expect(await give(buyer)).toBe('had_one')
  expect(await seatsOf(buyer.organization_id)).toEqual([{ user_id: buyer.user_id, status: 'active' }])
})

test('the buyer’s first seat does not come back when the buyer gave it up', async () => {
  const buyer = await bought(2)
  await give(buyer)
  await database.worker.transaction().execute((trx) => revokeActiveSeat(trx, buyer))
  expect(await give(buyer)).toBe('had_one')
  expect(await seatsOf(buyer.organization_id)).toEqual([{ user_id: buyer.user_id, status: 'revoked' }])
})

test('the buyer’s first seat comes with the next subscription', async () => {
  const buyer = await bought(2)
  await give(buyer)
  await database.worker.transaction().execute((trx) => revokeActiveSeat(trx, buyer))
  await database.owner
    .updateTable('subscriptions')
    .set({ status: 'canceled', ended_at: new Date() })
    .where('stripe_subscription_id', '=', buyer.id)
    .execute()
  expect(await give(buyer)).toBe('no_subscription')

  await buildSubscription(database, { owner_id: buyer.organization_id, user_id: buyer.user_id, seats: 1 })
  expect(await give(buyer)).toBe('given')
})

test('the buyer’s first seat is not taken from another member', async () => {
  const buyer = await bought(1)
  const other = await buildUser(database.server)
  await database.worker
    .transaction()
    .execute((trx) => insertSeat(trx, { ...without(buyer), user_id: other, email: 'other@tidemark.test' }))
  expect(await give(buyer)).toBe('no_free_seat')
  expect(await seatsOf(buyer.organization_id)).toEqual([{ user_id: other, status: 'active' }])
})

function without({ organization_id, role }: Awaited<ReturnType<typeof bought>>) {
  return { organization_id, role }
}
