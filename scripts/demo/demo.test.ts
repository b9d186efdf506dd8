import { beforeAll, expect, test, vi } from 'vitest'
import { connectDatabase } from '../../schema/database/connect.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { launchedProduct } from '../../tests/support/product/launched-product.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { type Caller, callerOf, openBrowser, signIn } from './caller.ts'

vi.setConfig({ testTimeout: 10 * 60_000, hookTimeout: 10 * 60_000 })
const product = launchedProduct({ demo: true })
const organization = 'org_2sandboxDemo0000000000000000'
const people = {} as Record<'demo' | 'colleague' | 'starter' | 'support', Caller>

beforeAll(async () => {
  await product.demo
  for (const name of ['demo', 'colleague', 'starter', 'support'] as const) {
    const ask = openBrowser(product.url)
    await signIn(ask, { email: `${name}@tidemark.test`, password: `tidemark-${name}-1` })
    people[name] = await callerOf(ask, product.url)
  }
})

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

async function usageOf(payer: string, group_by: string): Promise<{ label: string; requests: number }[]> {
  const span = `from=${daysAgo(95)}&to=${daysAgo(0)}`
  const { data } = await people.demo.call<{ data: { rows: { label: string; requests: number }[] } }>(
    `/api/usage?payer=${payer}&${span}&group_by=${group_by}`,
  )
  return data.rows
}

test('the shared clock is the real time when the demo is over', async () => {
  const clock = await (await fetch(`${product.stripeSandboxUrl}/_sandbox/clock`)).json()
  expect(clock).toMatchObject({ offset_ms: 0 })
})

test('Dana has Pro for three months, with a refund, a payment that failed once, and two editors', async () => {
  const { call, userId } = people.demo
  const { subscription, balance } = await call<{
    subscription: { plan_type: string; status: string; trial_end: string }
    balance: { available: number }
  }>('/api/account/summary')
  expect(subscription).toMatchObject({ plan_type: 'pro', status: 'active' })
  expect(subscription.trial_end.slice(0, 10)).toBe(daysAgo(78))
  expect(balance.available).toBeGreaterThan(120)

  const { data } = await call<{
    data: { items: { status: string; amount_minor: number; credits: number }[] }
  }>('/api/billing/invoices')
  const amounts = Map.groupBy(data.items, ({ status }) => status)
  expect(amounts.get('paid')?.map(({ amount_minor }) => amount_minor)).toEqual([2000, 2000, 2100, 2000, 0])
  expect(amounts.get('refunded')).toMatchObject([{ credits: 500 }])

  const { editors } = await call<{ editors: { editor: string }[] }>('/api/extension-token/active')
  expect(editors.map(({ editor }) => editor).toSorted()).toEqual(['Cursor', 'Visual Studio Code'])
  const trace = await people.support.call(`/api/support/trace?owner=${userId}`)
  expect(JSON.stringify(trace)).toContain('invoice.payment_failed')
})

test('Dana’s editors used three models for two projects on almost every day of the week', async () => {
  const labelsOf = async (group: string) => (await usageOf('personal', group)).map(({ label }) => label)
  expect((await labelsOf('model')).toSorted()).toEqual(['large', 'medium', 'small'])
  expect((await labelsOf('project')).toSorted()).toEqual(['billing-service', 'harbour-web'])
  expect((await labelsOf('day')).length).toBeGreaterThan(60)
})

test('her organization has five seats, one of them pending, a former one, and a pool that three colleagues use', async () => {
  const { call } = people.demo
  const { seats, seats_total } = await call<{ seats_total: number; seats: { status: string }[] }>(
    `/api/organizations/seats?org_id=${organization}`,
  )
  expect(seats_total).toBe(5)
  expect(seats.map(({ status }) => status).toSorted()).toEqual([
    ...['active', 'active', 'active', 'active', 'pending', 'revoked'],
  ])
  const pool = await people.colleague.call<{ used_credits: number; remaining_credits: number }>(
    `/api/organizations/credits?org_id=${organization}`,
  )
  expect(pool.used_credits).toBeGreaterThan(200)
  expect(pool.remaining_credits).toBeGreaterThan(120)
  expect((await usageOf(organization, 'person')).length).toBeGreaterThanOrEqual(3)
})

test('one person has the free plan and nothing else', async () => {
  const { call, userId } = people.starter
  const { data } = await call<{ data: object }>(`/api/user/get?clerkId=${userId}`)
  expect(data).toMatchObject({ plan_type: 'starter', credits: 0 })
  expect(await call('/api/billing/invoices')).toMatchObject({ data: { items: [] } })
})

test('support has one failed event, one purchase that was not applied, and one finding, which is about it', async () => {
  const { call } = people.support
  const { rows } = await call<{ rows: { item: { kind: string }; state: string }[] }>('/api/support/work')
  expect(rows).toMatchObject([
    { item: { kind: 'intent' }, state: 'failed', credits: 500 },
    { item: { kind: 'event' }, state: 'failed' },
  ])
  const counts = await waitUntil(async () => {
    const answer = await call<{
      counts: { kind: string; count: number }[]
      last_run: { state: string; requested_by: string } | null
    }>('/api/support/findings')
    const { last_run } = answer
    return last_run?.state === 'done' && last_run.requested_by === 'Sam Support' && answer.counts
  }, 'the comparison after the demo')
  expect(counts).toMatchObject([{ kind: 'session_not_settled', count: 1 }])
})

test('the books are right', async () => {
  const database = connectDatabase({
    connectionString: product.databaseUrl,
    role: 'owner',
    poolMax: 4,
    onError: () => undefined,
  })
  try {
    expect((await verifyLedger(database.db)).problems).toEqual([])
  } finally {
    await database.close()
  }
})
