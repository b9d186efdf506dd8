import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { buildPaidPlan } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, stripe } = product
const life = planLife(product)
afterEach(() => life.startOver())

afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

const listSeats = (organization_id: string) =>
  database.owner.selectFrom('seats').selectAll().where('organization_id', '=', organization_id).execute()

describe('a user who used up a plan, ended it and subscribed again', () => {
  test('a user who used up a plan, ended it and subscribed again has one live plan, though the new one’s events come before the end of the old one', async () => {
    const before = await buildPaidPlan(product)
    await worker.catchUp()
    await life.cancel(before)
    const { user_id, owner_id } = before
    const now = await buildPaidPlan(product, { user_id, owner_id })
    await worker.applyStripe((await stripe.takeEvents()).toReversed())
    expect(await life.row(now)).toMatchObject({
      stripe_subscription_id: now.subscription_id,
      status: 'active',
    })
    expect(await life.balance(now)).toMatchObject({ plan: 500 })
  })
})

describe('an old subscription of an organization', () => {
  async function teamThatCameBack() {
    const owner_id = `org_${randomUUID().slice(0, 8)}`
    const before = await buildPaidPlan(product, { plan_type: 'teams', seats: 3, owner_id })
    await worker.catchUp()
    // The buyer leaves.
    await database.worker
      .updateTable('seats')
      .set({ status: 'revoked', updated_at: new Date() })
      .where('user_id', '=', before.user_id)
      .execute()
    await life.cancel(before)
    await worker.catchUp()
    const now = await buildPaidPlan(product, { plan_type: 'teams', seats: 5, owner_id })
    await worker.catchUp()
    return { before, now, owner_id }
  }

  test('an old subscription of an organization gives no seat, whatever event arrives', async () => {
    const { before, now, owner_id } = await teamThatCameBack()
    await life.refund((await life.charges(before))[0])
    await worker.catchUp()
    const seats = await listSeats(owner_id)
    expect(seats.filter(({ status }) => status === 'active')).toMatchObject([
      { user_id: now.user_id, email: `${now.user_id}@tidemark.test`, role: 'admin' },
    ])
    expect(seats.find(({ user_id }) => user_id === before.user_id)).toMatchObject({ status: 'revoked' })
  })

  test('an old subscription of an organization gives no seat to a former admin, with the new buyer’s address, when that one has passed theirs on', async () => {
    const { before, now, owner_id } = await teamThatCameBack()
    await database.worker
      .updateTable('seats')
      .set({ status: 'revoked' })
      .where('user_id', '=', now.user_id)
      .execute()
    await life.refund((await life.charges(before))[0])
    await worker.catchUp()
    expect((await listSeats(owner_id)).filter(({ status }) => status === 'active')).toEqual([])
    expect(await life.balance(now)).toMatchObject({ plan: 2500 })
  })
})
