import { afterAll, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

/** What becomes of usage that is summed when something else happens in the same minute. */

const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
const life = planLife(product)
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

let organizations = 0
async function buyTeam(): Promise<PaidPurchase> {
  const owner = { owner_kind: 'organization', owner_id: `org_sums_${organizations++}` } as const
  const bought = await buildPaidPlan(product, { plan_type: 'teams', seats: 2, owner })
  await worker.catchUp()
  return bought
}

/** Kinds and keys of the owner's transfers, and how many reports each has, oldest first. */
async function transfersOf({ owner }: PaidPurchase) {
  const rows = await database.owner
    .selectFrom('ledger_transfers as transfer')
    .leftJoin('ledger_reports as report', (on) =>
      on.onRef('report.owner_id', '=', 'transfer.owner_id').onRef('report.transfer_id', '=', 'transfer.id'),
    )
    .where('transfer.owner_id', '=', owner.owner_id)
    .groupBy(['transfer.id', 'transfer.kind'])
    .orderBy('transfer.id')
    .select(({ fn }) => ['transfer.kind', fn.count<number>('report.ordinal').as('reports')])
    .execute()
  return rows.map(({ kind, reports }) => `${kind} ${reports}`)
}

test('a Teams plan sums, a Pro plan does not', async () => {
  const pro = await buildPaidPlan(product)
  await worker.catchUp()
  await life.use(pro, 1)
  expect(await transfersOf(pro)).toEqual(['plan_grant 0', 'usage 0'])
  const team = await buyTeam()
  await life.use(team, 1)
  await life.use(team, 2)
  expect(await transfersOf(team)).toEqual(['plan_grant 0'])
  expect(await life.balance(team)).toMatchObject({ plan: 997 })
})

test('a month that ends has what was used in it, also when that was not posted', async () => {
  const team = await buyTeam()
  await life.use(team, 300)
  await life.live(32)
  expect(await life.balance(team)).toMatchObject({ plan: 1000, purchased: 0 })
  expect(await transfersOf(team)).toEqual(['plan_grant 0', 'usage 1', 'plan_grant 0', 'expiry 0'])
})

test('a refund and added seats come after the usage of their minute', async () => {
  const team = await buyTeam()
  await life.use(team, 100)
  const [charge] = await life.charges(team)
  await life.refund(charge, 3000)
  await worker.catchUp()
  await life.use(team, 50)
  await life.changeSeats(team, 3)
  await worker.catchUp()
  expect(await transfersOf(team)).toEqual(['plan_grant 0', 'usage 1', 'refund 0', 'usage 1', 'seat_grant 0'])
})

test('when the plan ends all is posted, and nothing is summed any more', async () => {
  const team = await buyTeam()
  await life.use(team, 10)
  await life.cancel(team)
  await worker.catchUp()
  const { sums_usage, unposted_reports } = await database.owner
    .selectFrom('ledger_owners')
    .select(['sums_usage', 'unposted_reports'])
    .where('owner_id', '=', team.owner.owner_id)
    .executeTakeFirstOrThrow()
  expect({ sums_usage, unposted_reports }).toEqual({ sums_usage: false, unposted_reports: 0 })
  expect((await transfersOf(team)).slice(0, 2)).toEqual(['plan_grant 0', 'usage 1'])
})
