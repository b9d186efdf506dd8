import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { reportUsage } from '../../schema/api/spending.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildSeat } from '../../tests/support/factories/seats.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server } = testProduct({ clerk: 'trusting' })

const hour = 3600 * 1000
const now = Date.now()
const inHours = (hours: number) => new Date(now + hours * hour)
const month = 30 * 24

interface Life {
  /** When the period that was paid last is over, in hours from now. */
  readonly paid_until: number
  /** The period that we know of Stripe, in hours from now. */
  readonly period: readonly [starts: number, ends: number]
  readonly status?: 'active' | 'trialing' | 'past_due'
  readonly cancel_at?: number
}

/** A person with 3 bought credits, and a plan whose last paid period ends as given. */
async function customer({ paid_until, period, status = 'active', cancel_at }: Life, org?: string) {
  const user_id = await buildUser(database.server)
  const owner_id = org ? org : user_id
  const fields = {
    status,
    current_period_start: inHours(period[0]),
    current_period_end: inHours(period[1]),
    cancel_at: cancel_at === undefined ? null : inHours(cancel_at),
  }
  const { id } = await buildSubscription(database, { owner_id, user_id, fields })
  await database.worker
    .insertInto('paid_invoice_lines')
    .values({
      owner_id,
      stripe_invoice_id: `in_${randomUUID()}`,
      stripe_subscription_id: id,
      kind: 'period',
      starts_at: inHours(paid_until - month),
      ends_at: inHours(paid_until),
      seats: 1,
      amount_paid_minor: 2000,
      paid_at: inHours(paid_until - month),
      total_minor: 2000,
      amount_minor: 2000,
    })
    .execute()
  await giveCredits(database, owner_id, { purchased: 3 })
  if (org) await buildSeat(database, { organization_id: org, user_id, role: 'member' })
  return { user_id, token: await buildExtensionToken(database, user_id), payer: org ?? 'personal' }
}

const report = ({ token, payer }: { token: string; payer: string }, credits = 5) =>
  server.api(reportUsage, { token, body: { credits, payer, idempotency_key: randomUUID() } })

const renewed = { paid_until: -0.9, period: [-0.9, month - 0.9] } as const

test('a report above the balance while the plan is renewed is a 402 that says when to ask again', async () => {
  const answer = await report(await customer(renewed))
  expect(answer.status).toBe(402)
  expect(answer.headers.get('retry-after')).toBe('60')
  const text =
    'Not enough credits. This takes 5 credits, and your personal balance has 3. ' +
    'The plan is being renewed, and its credits come with the payment, usually within an hour.'
  expect(answer.body).toMatchObject({
    code: 'renewal_in_progress',
    error: text,
    available: 3,
    required: 5,
    buy_url: 'http://localhost:3000/billing?tab=credits&payer=personal',
  })
})

test('a report while a renewal is late is a 402 that promises no time', async () => {
  const { body } = await report(await customer({ paid_until: -1.1, period: [-1.1, month - 1.1] }))
  expect(body).toMatchObject({
    code: 'renewal_in_progress',
    error:
      'Not enough credits. This takes 5 credits, and your personal balance has 3. ' +
      'The renewal of the plan takes longer than usual. Its credits are added once it is paid.',
  })
})

test('a report that the balance covers passes while the plan is renewed', async () => {
  expect(await report(await customer(renewed), 3)).toMatchObject({ status: 200 })
})

test('a member of an organization is told that its plan is renewed', async () => {
  const answer = await report(await customer(renewed, `org_${randomUUID().slice(0, 8)}`))
  expect(answer.body).toMatchObject({ code: 'renewal_in_progress', available: 3 })
})

test.each<[string, Life, string]>([
  ['a period that Stripe has not reported as over', { paid_until: -1, period: [-1 - month, -1] }, 'renewal'],
  ['a trial that is over', { paid_until: -1, period: [-1, month], status: 'active' }, 'renewal'],
  [
    'a trial that Stripe has not reported as over',
    { paid_until: -1, period: [-99, -1], status: 'trialing' },
    'renewal',
  ],
  ['a draft of 71 hours', { paid_until: -71, period: [-71, month - 71] }, 'renewal'],
  ['a draft of 73 hours', { paid_until: -73, period: [-73, month - 73] }, 'credits'],
  ['a period that is paid', { paid_until: 1, period: [1 - month, 1] }, 'credits'],
  ['a payment that failed', { ...renewed, status: 'past_due' }, 'credits'],
  [
    'a plan that is cancelled at the period’s end',
    { ...renewed, period: [-1 - month, -1], cancel_at: -1 },
    'credits',
  ],
  ['a trial that was moved', { paid_until: -1, period: [-99, 99], status: 'trialing' }, 'credits'],
])('a report above the balance after %s is refused for the right reason', async (_, life, reason) => {
  const answer = await report(await customer(life))
  expect(answer.status).toBe(402)
  const isRenewal = reason === 'renewal'
  expect(answer.body).toMatchObject({ code: isRenewal ? 'renewal_in_progress' : 'insufficient_credits' })
  expect(answer.headers.get('retry-after')).toBe(isRenewal ? '60' : null)
})
