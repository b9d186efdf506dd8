import { beforeAll, expect, test } from 'vitest'
import {
  exportStatement,
  getStatement,
  listFindings,
  requestReconciliation,
  type StatementDay,
} from '../../schema/api/reconciliation.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildHold, settleHold } from '../../tests/support/factories/holds.ts'
import { buildPaidCredits, buildPaidPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer, spendNow } from '../../tests/support/factories/transfers.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { reconcile, reconcileAll } from './run.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, worker, stripe, server, clerk, clock } = product
const life = planLife(product)

// The buyers here have no account at the stand-in of Clerk: deleted-owners.test.ts has buyers who had one.
beforeAll(() => {
  Object.assign(worker.deps, { clerk: { ...worker.deps.clerk, isGone: async () => false } })
})

let support: Person
/** The day on which everything was bought. */
let date: string

const statementOf = async (day: string): Promise<StatementDay | undefined> =>
  (await server.ask(getStatement, { token: support.token, query: { day } })).days[0]

/** From noon to noon: what a test does is not at midnight. */
async function nextNoon(): Promise<string> {
  const now = clock.now()
  const noon = new Date(`${now.toISOString().slice(0, 10)}T12:00:00Z`).getTime() + 24 * 3600_000
  await product.advanceDays((noon - now.getTime()) / 86_400_000)
  await worker.catchUp()
  return clock.now().toISOString().slice(0, 10)
}

beforeAll(async () => {
  support = await signUp(clerk, { role: 'support' })
  date = await nextNoon()
  const refunded = await buildPaidCredits(product)
  const disputed = await buildPaidCredits(product)
  const subscribed = await buildPaidPlan(product)
  await buildPaidPlan(product, { trial_days: 14 })
  await worker.catchUp()
  await life.refund((await life.charges(refunded))[0], 350)
  await life.dispute((await life.charges(disputed))[0])
  await worker.catchUp()
  // 75 of 250 credits are held, and the rest is used; then the other way round, after its hold expired.
  await settleBeside(refunded.owner_id, { credits: 75, lasting_s: 900, beside: 170, cost: 90 })
  await settleBeside(subscribed.owner_id, { credits: 40, lasting_s: 60, beside: 500, cost: 40 })
})

/** Reserves credits, uses others two minutes later, and then settles the hold. */
async function settleBeside(
  owner_id: string,
  of: { credits: number; lasting_s: number; beside: number; cost: number; at?: Date },
): Promise<void> {
  const { at = clock.now() } = of
  const asked = { owner_id, actor: 'user_editor', occurred_at: at, reason: 'Chat' }
  const later = { ...asked, occurred_at: new Date(at.getTime() + 120_000) }
  const { credits, lasting_s } = of
  const hold = await buildHold(database.server, owner_id, { ...asked, credits, lasting_s })
  await spendNow(database.server, owner_id, of.beside, later)
  await settleHold(database.server, owner_id, hold, { ...later, credits: of.cost })
}

booksEndRight(database)

test('the statement of a day has the credits at once, and the money when the day is over and was read', async () => {
  expect(await statementOf(date)).toMatchObject({
    date,
    state: 'open',
    money: null,
    balance: null,
    agrees: null,
  })
  await nextNoon()
  await reconcileAll(worker.deps, 'test')
  const day = await statementOf(date)
  expect(day).toMatchObject({ date, state: 'closed', agrees: true, unexplained: [] })
  expect(day?.money).toEqual([
    {
      currency: 'EUR',
      payments: 3,
      gross_minor: 700 + 700 + 2000,
      refunded_minor: 350,
      disputed_minor: 700,
      net_minor: 2350,
      foreign_minor: 0,
      credits_sold_minor: 1400,
      plans_paid_minor: 2000,
      difference_minor: 0,
    },
  ])
  const fees = 2 * (Math.round(700 * 0.015) + 25) + (Math.round(2000 * 0.015) + 25)
  expect(day?.balance).toEqual([
    { currency: 'EUR', gross_minor: 2350, fees_minor: fees, net_minor: 2350 - fees },
  ])
  expect(day?.credits).toEqual({
    sold: 1000,
    granted: 1000,
    used: 170 + 80 + 500,
    expired: 0,
    refunded: 250,
    disputed: 500,
    written_off: 0,
    adjusted: 0,
    change_plan: 500,
    change_purchased: 0,
    // Ten of what was above a hold, and all of one that had expired.
    uncollected: 10 + 40,
    difference: 0,
    transfers: 10,
  })
})

test('the statement of a day names what does not sum to zero: money that nothing of ours speaks of', async () => {
  const day = clock.now().toISOString().slice(0, 10)
  const lost = await buildPaidCredits(product)
  await stripe.takeEvents()
  await nextNoon()
  await reconcileAll(worker.deps, 'test')
  const statement = await statementOf(day)
  expect(statement).toMatchObject({ agrees: false, state: 'open' })
  expect(statement?.money?.[0]).toMatchObject({
    gross_minor: 700,
    credits_sold_minor: 0,
    difference_minor: 700,
  })
  expect(statement?.unexplained).toEqual([
    {
      object_id: lost.intent_id,
      amount_minor: 700,
      currency: 'EUR',
      missing: 'record',
      other_day: null,
    },
  ])
})

test('the statement of a day is a file for finance, for a month too', async () => {
  const month = date.slice(0, 7)
  const url = `${server.url}${exportStatement.path}?month=${month}`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${support.token}` } })
  expect(answer.headers.get('content-disposition')).toContain(`statement-${month}.csv`)
  const lines = (await answer.text()).replaceAll('"', '').split('\r\n')
  expect(lines[0]).toBe('date,state,part,figure,currency,value,remark')
  expect(lines).toContain(`${date},closed,money,gross,EUR,34,`)
  expect(lines).toContain(`${date},closed,credits,sold,,1000,`)
  expect(lines).toContain(`${date},closed,credits,uncollected,,50,`)
  expect(lines).toContain(`${date},closed,day,agrees,,yes,`)
})

test('a day is closed when everything until then is proven; what comes later counts for the first open day', async () => {
  const [finding] = (await server.ask(listFindings, { token: support.token, query: {} })).findings
  expect(finding).toMatchObject({
    kind: 'session_not_settled',
    money: { amount_minor: 700, currency: 'EUR' },
  })
  // The lost purchase settles, as if it had occurred when it was paid.
  const lostOn = new Date(clock.now().getTime() - 24 * 3600_000).toISOString().slice(0, 10)
  await database.owner.deleteFrom('inbox_events').execute()
  const events = []
  for await (const event of stripe.client.events.list({ limit: 100 })) events.push(event)
  await worker.applyStripe(events.reverse())
  await reconcileAll(worker.deps, 'test')
  const closed = await statementOf(date)
  expect(closed).toMatchObject({ state: 'closed', agrees: true })
  expect(await statementOf(lostOn)).toMatchObject({ state: 'closed', agrees: true })
  // One more comes to light that was unknown when the day was closed.
  const occurred_at = new Date(`${date}T13:00:00Z`)
  await postTransfer(database.worker, buildGrant('user_late', 77, { occurred_at }))
  expect(await statementOf(date)).toEqual(closed)
  const today = clock.now().toISOString().slice(0, 10)
  expect((await statementOf(today))?.credits).toMatchObject({
    adjusted: 77,
    change_purchased: 77,
    difference: 0,
  })
  await settleBeside('user_late', { credits: 7, lasting_s: 900, beside: 70, cost: 9, at: occurred_at })
  expect(await statementOf(date)).toEqual(closed)
})

test('support asks for a comparison, the worker makes it, and its findings are listed', async () => {
  const { run } = await server.ask(requestReconciliation, { token: support.token, body: {} })
  expect(run).toMatchObject({ state: 'waiting', requested_by: support.email })
  const again = await server.ask(requestReconciliation, { token: support.token, body: {} })
  expect(again.run.id).toBe(run.id)
  await reconcile(worker.deps)
  const list = await server.ask(listFindings, { token: support.token, query: { owner: 'user_late' } })
  expect(list.findings).toMatchObject([
    {
      kind: 'adjustment_unexplained',
      credits: -77,
      repair: { kind: 'adjust', target: { id: 'user_late' } },
    },
  ])
  expect(list.counts).toEqual([
    { kind: 'adjustment_unexplained', count: 1, money: [], credits_missing: 0, credits_too_many: 77 },
  ])
  expect(list.last_run).toMatchObject({ id: run.id, state: 'done', findings: 1 })
  const other = await server.ask(listFindings, { token: support.token, query: { kind: 'refund_differs' } })
  expect(other.findings).toEqual([])
})
