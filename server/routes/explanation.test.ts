import { expect, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import {
  type BalanceChange,
  describeCause,
  explainBalance,
  exportExplanation,
} from '../../schema/api/explanation.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { buildHold, settleHold } from '../../tests/support/factories/holds.ts'
import { buyCredits, buyPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'trusting' })
const { server, database, clock } = product
const life = planLife(product)
const format = {
  day: (iso: string) => iso.slice(0, 10),
  credits: (amount: number) => String(amount),
  money: (amount_minor: number, currency: string) => `${currency} ${amount_minor / 100}`,
}
const dayAfter = (days: number) =>
  new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
const told = ({ cause, change, balance_after }: BalanceChange) => [
  describeCause(cause, format).what,
  change.total,
  balance_after.total,
]

test('a month of a customer is explained: purchase, usage, refund, end of the month, and the balance of any day', async () => {
  const today = dayAfter(0)
  const plan = await buyPlan(product)
  await life.use(plan, 120)
  const credits = await buyCredits(product, { user_id: plan.user_id })
  const explain = async (query: Record<string, string> = {}) =>
    (await server.ask(explainBalance, { token: plan.user_id, query })).data
  const bought = [
    ['500 credits bought', 500, 880],
    ['Chat', -120, 380],
    ['Plan credits', 500, 500],
  ]
  expect((await explain()).items.map(told)).toEqual(bought)

  await life.live(10)
  await life.refund((await life.charges(credits)).find(({ amount }) => amount === 700))
  await life.live(25)
  const correction = { reason: 'Sorry for the outage', occurred_at: clock.now() }
  await postTransfer(database.worker, buildGrant(plan.user_id, 40, correction))

  const now = await explain({ time_zone: 'Europe/Berlin' })
  expect(now.items.map(told)).toEqual([
    ['Correction by support', 40, 540],
    ['Unused plan credits expired', -380, 500],
    ['Plan credits', 500, 880],
    ['Refund', -500, 380],
    ...bought,
  ])
  const { balance } = await server.ask(getAccountSummary, { token: plan.user_id, query: {} })
  expect(now.balance).toEqual({ plan: balance.plan, purchased: balance.purchased, total: balance.total })
  expect(now.opening.total).toBe(0)
  expect((await verifyLedger(database.owner)).problems).toEqual([])

  const [added, expiry, month, refund, purchase, usage] = now.items.map(({ cause }) => cause)
  expect(added?.note).toBe('Sorry for the outage')
  expect(month).toMatchObject({ document_id: expect.stringMatching(/^in_/), purchase: null })
  expect(expiry && describeCause(expiry, format).why).toMatch(/^Of those included from [\d-]+ to [\d-]+$/)
  expect(refund && describeCause(refund, format).why).toBe(`Of 500 credits bought on ${today}`)
  expect(purchase).toMatchObject({ document_id: credits.session_id, purchase: { amount_minor: 700 } })
  expect(usage).toMatchObject({ kind: 'usage', document_id: null, month: null })

  const then = await explain({ date: today, limit: '2' })
  expect(then.as_of).toBe(`${today}T23:59:59.999Z`)
  expect(then.items.map(told)).toEqual(bought.slice(0, 2))
  expect(now.is_now).toBe(true)
  expect(then).toMatchObject({ is_now: false, balance: { total: 880 }, opening: { total: 500 } })
  const rest = await explain({ date: today, limit: '2', cursor: then.next_cursor ?? '' })
  expect(rest.items.map(told)).toEqual(bought.slice(2))
  expect(rest).toMatchObject({ balance: { total: 500 }, opening: { total: 0 }, next_cursor: null })
  expect(await explain({ date: '2020-01-01' })).toMatchObject({ items: [], balance: { total: 0 } })

  const file = await server.ask(exportExplanation, { token: plan.user_id, query: { date: today } })
  const lines = file.replaceAll('"', '').trimEnd().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toBe(
    'date,what,cause,plan_change,purchased_change,plan_balance,purchased_balance,balance,reference_id',
  )
  expect(lines[1]).toMatch(
    /^[\d-]+T[\d:.]+Z,500 credits bought,Paid EUR 7\.00 on [\d-]+,0,500,380,500,880,cs_\w+$/,
  )
})

test('the balance of 31 December is that of the reader’s midnight', async () => {
  const user_id = await buildUser(database.server)
  const give = (credits: number, at: string) =>
    postTransfer(database.worker, buildGrant(user_id, credits, { occurred_at: new Date(at) }))
  await give(1, '2025-12-31T22:59:59.999Z')
  await give(2, '2025-12-31T23:30:00Z')
  await give(4, '2026-01-01T00:00:00Z')
  await give(8, '2026-01-01T04:59:59Z')
  await give(16, '2026-01-01T05:00:00Z')
  const explain = async (time_zone: string) => {
    const query = { date: '2025-12-31', time_zone }
    const { as_of, balance, items } = (await server.ask(explainBalance, { token: user_id, query })).data
    const file = await server.ask(exportExplanation, { token: user_id, query })
    return [as_of, balance.total, items.length, file.trimEnd().split('\r\n').length - 1]
  }
  expect(await explain('Europe/Berlin')).toEqual(['2025-12-31T22:59:59.999Z', 1, 1, 1])
  expect(await explain('UTC')).toEqual(['2025-12-31T23:59:59.999Z', 3, 2, 2])
  expect(await explain('America/New_York')).toEqual(['2026-01-01T04:59:59.999Z', 15, 4, 4])
})

test('a request that failed is a line that costs nothing, with who asked and when, in the list, a search and the file', async () => {
  const user_id = await buildUser(database.server)
  await postTransfer(database.worker, buildGrant(user_id, 100))
  for (const failure of ['provider_error', 'timeout', 'empty', 'cancelled'] as const) {
    const occurred_at = new Date('2026-03-04T05:06:07Z')
    const of = { failure, occurred_at, reason: 'Refactoring', model: 'large' }
    await spendNow(database.server, user_id, 0, of)
  }
  const explain = async (query: Record<string, string> = {}) =>
    (await server.ask(explainBalance, { token: user_id, query })).data.items
  const lines = [
    ['Not charged: canceled', 0, 100],
    ['Not charged: empty answer', 0, 100],
    ['Not charged: timeout', 0, 100],
    ['Not charged: provider error', 0, 100],
  ]
  expect((await explain()).slice(0, 4).map(told)).toEqual(lines)
  const [line] = await explain({ category: 'usage', q: 'provider error' })
  expect(line).toMatchObject({ occurred_at: '2026-03-04T05:06:07.000Z', change: { plan: 0, purchased: 0 } })
  expect(line && describeCause(line.cause, format).why).toBe('Refactoring · Requested in an editor · large')
  expect(await explain({ category: 'usage', q: 'refactoring' })).toHaveLength(4)
  expect(await explain({ category: 'purchase', q: 'not charged' })).toHaveLength(0)

  const query = { q: 'empty answer' }
  const file = await server.ask(exportExplanation, { token: user_id, query })
  expect(file.replaceAll('"', '').trimEnd().split('\r\n').slice(1)).toEqual([
    '2026-03-04T05:06:07.000Z,Not charged: empty answer,Refactoring · Requested in an editor · large,0,0,0,100,100,',
  ])
})

test('a request that cost more than was reserved is two lines, and the second says what it is', async () => {
  const user_id = await buildUser(database.server)
  await postTransfer(database.worker, buildGrant(user_id, 100))
  const hold = await buildHold(database.server, user_id, { credits: 40 })
  await settleHold(database.server, user_id, hold, { credits: 52 })
  const { items } = (await server.ask(explainBalance, { token: user_id })).data
  expect(items.slice(0, 2).map(told)).toEqual([
    ['Refactoring', -12, 48],
    ['Refactoring', -40, 60],
  ])
  expect(items.slice(0, 2).map(({ cause }) => describeCause(cause, format).why)).toEqual([
    'Used in an editor · above what was reserved',
    'Used in an editor',
  ])
})
