import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findInvitation, reserveInvitation } from '../../schema/people/invitations/invitations.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { receiveClerkEvent, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  buyCredits,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildMember, buildTeam } from '../../tests/support/factories/teams.ts'
import { isLong } from '../../tests/support/long.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { type Clockwork, startClockwork } from '../../tests/support/product/clockwork.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { impatientStripe } from '../../tests/support/services/stripe.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, clerk } = product
const worker = madeForEachTest(() =>
  startClockwork(database, { stripe: countingStripe(), clerk: clerk.directory }),
)
let calls = 0
beforeEach(async () => {
  await stripe.clear('faults')
  await clerk.clear('faults')
  for (const table of ['seats', 'team_invitations', 'inbox_events'] as const)
    await database.owner.deleteFrom(table).execute()
  // What earlier tests left is not due.
  await database.change('subscriptions', {}, { sync_failed_at: new Date(), last_error: 'Over' })
  await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'expired' })
    .where('state', '<>', 'settled')
    .execute()
  calls = 0
})

function countingStripe(): Stripe {
  const client = impatientStripe(stripe.url)
  client.on('request', () => {
    calls += 1
  })
  return client
}

/** Each event that waits is tried 120 times in 20 hours. */
const received = [
  'checkout.session.completed',
  'customer.subscription.created',
  'invoice.paid',
  'charge.refunded',
]

const stripeIsAway = (status = 500) =>
  stripe.knob('faults', { status, count: 1_000_000, path_prefix: '/v1/' })

async function receiveAll(events: readonly Stripe.Event[]): Promise<void> {
  for (const event of events) await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
}

const waitingEvents = () =>
  database.owner
    .selectFrom('inbox_events')
    .select(['id', 'type', 'attempts', 'unavailable_since', 'last_error'])
    .where('state', '=', 'received')
    .execute()
const failedEvents = () =>
  database.owner.selectFrom('inbox_events').select(['type', 'reason']).where('state', '=', 'failed').execute()
const totalOf = async ({ owner_id }: PaidPurchase) => (await findBalance(database.owner, owner_id)).total
const intentOf = ({ intent_id }: PaidPurchase) => findIntent(database.owner, intent_id)

describe('Stripe is away for 20 hours', { timeout: 600_000 }, () => {
  const outages: [string, number, boolean][] = [
    ['answers 500, and every third try ends with its worker', 500, true],
    ['answers 500', 500, false],
    ['answers 429', 429, false],
  ]
  test.each(isLong ? outages : outages.slice(0, 1))(
    'after an outage that %s everything is done within an hour, and no attempt is counted',
    async (_, status, isDeadly) => {
      const known = await buildPaidPlan(product)
      const refunded = await buildPaidCredits(product)
      await product.worker.catchUp()
      await database.owner
        .updateTable('subscriptions')
        .set({ next_try_at: new Date(worker.now().getTime() + hourMs) })
        .where('stripe_subscription_id', '=', known.subscription_id)
        .execute()
      const plan = await buildPaidPlan(product)
      const [charge] = (await stripe.client.charges.list({ customer: refunded.customer_id })).data
      await stripe.client.refunds.create({ charge: charge?.id ?? '', amount: 350 })
      const events = (await stripe.takeEvents()).filter(({ type }) => received.includes(type))
      const unheardOf = await buildPaidCredits(product)
      const notTold = await stripe.takeEvents()
      await stripeIsAway(status)
      await receiveAll(events)

      await worker.pass(20 * hourMs, (run) => isDeadly && run % 3 === 0)
      const waiting = await waitingEvents()
      expect(waiting.length).toBeGreaterThan(3)
      for (const event of waiting) {
        expect(event).toMatchObject({
          attempts: 0,
          unavailable_since: expect.any(Date),
          last_error: expect.any(String),
        })
      }
      expect(await intentOf(unheardOf)).toMatchObject({ state: 'open', attempts: 0, failure_reason: null })
      expect(await failedEvents()).toEqual([])
      // A try every ten minutes or so is one call, because the first one fails.
      const rows = waiting.length + 3
      expect(calls).toBeGreaterThan(50 * rows)
      expect(calls).toBeLessThan(200 * rows)
      expect(shortestPause(worker)).toBeGreaterThan(7 * minuteMs)

      await stripe.clear('faults')
      await worker.pass(hourMs, (run) => isDeadly && run % 3 === 0)
      expect(await waitingEvents()).toEqual([])
      expect(await failedEvents()).toEqual([])
      expect(await totalOf(plan)).toBe(500)
      expect(await totalOf(refunded)).toBe(250)
      expect(await totalOf(unheardOf)).toBe(500)
      const subscription = await findSubscription(database.owner, known.subscription_id ?? '')
      expect(subscription).toMatchObject({ attempts: 0, sync_failed_at: null, unavailable_since: null })
      expect(Number(subscription?.next_try_at)).toBeGreaterThan(worker.now().getTime() + 20 * hourMs)
      await receiveAll(notTold)
      await worker.pass(minuteMs)
      expect(await totalOf(unheardOf)).toBe(500)
    },
  )

  test('Stripe is away for 20 hours and asks for a pause: no row is tried earlier', async () => {
    await buildPaidPlan(product)
    const asking = new Proxy(worker.deps.stripe, {
      get: (target, name) =>
        name === 'subscriptions'
          ? {
              retrieve: async () => {
                throw new Stripe.errors.StripeRateLimitError({
                  type: 'rate_limit_error',
                  message: 'Later',
                  headers: { 'retry-after': '1200' },
                  statusCode: 429,
                } as never)
              },
            }
          : Reflect.get(target, name),
    })
    const patient = startClockwork(database, { stripe: asking })
    await receiveAll((await stripe.takeEvents()).filter(({ type }) => type === 'invoice.paid'))
    await patient.pass(hourMs)
    const tries = patient.runs.filter(({ queue }) => queue === 'stripe-events')
    expect(tries.length).toBe(3)
  })
})

test('workers that are killed at every try for two hours cost no attempt, and the next one applies it', async () => {
  const refunded = await buyCredits(product)
  const [charge] = (await stripe.client.charges.list({ customer: refunded.customer_id })).data
  await stripe.client.refunds.create({ charge: charge?.id ?? '' })
  await receiveAll(await stripe.takeEvents())
  await worker.pass(2 * hourMs, () => true)
  for (const event of await waitingEvents())
    expect(event).toMatchObject({ attempts: 0, unavailable_since: null })
  expect(await totalOf(refunded)).toBe(500)
  await worker.pass(11 * minuteMs)
  expect(await waitingEvents()).toEqual([])
  expect(await totalOf(refunded)).toBe(0)
})

test('Clerk is away for 20 hours: events and invitations are done within an hour of its return, without an attempt', async () => {
  const team = await buildTeam(product)
  const member = await buildMember(clerk, team)
  const [joined] = (await clerk.listEvents())
    .filter(({ type }) => type === 'organizationMembership.created')
    .slice(-1)
  if (!joined) throw new Error('No member joined')
  await clerk.knob('faults', { status: 503, count: 1000, path_prefix: '/bapi/' })
  const id = await receiveClerkEvent(database.server, joined)
  const invitation = {
    id: randomUUID(),
    organization_id: team.organization.id,
    subscription_id: team.subscription_id,
    inviter_id: team.admin.user_id,
    email: 'never.sent@tidemark.test',
    role: 'member',
    expires_at: new Date(worker.now().getTime() + 40 * hourMs),
    next_try_at: worker.now(),
  } as const
  await database.server.transaction().execute((trx) => reserveInvitation(trx, invitation))
  await worker.pass(20 * hourMs)
  expect(await waitingEvents()).toMatchObject([{ id, attempts: 0, unavailable_since: expect.any(Date) }])
  expect(await findInvitation(database.owner, invitation.id)).toMatchObject({
    status: 'pending',
    attempts: 0,
    unavailable_since: expect.any(Date),
  })
  await clerk.clear('faults')
  await worker.pass(hourMs)
  expect(await waitingEvents()).toEqual([])
  expect(await findInvitation(database.owner, invitation.id)).toMatchObject({
    status: 'revoked',
    attempts: 0,
  })
  const members = await database.rows('organization_members', { user_id: member.user_id }, ['role'])
  expect(members).toEqual([{ role: 'member' }])
})

/** Between two tries of one row, in the last hours of an outage. */
function shortestPause({ runs, now }: Clockwork): number {
  const fromMs = now().getTime() - 10 * hourMs
  const byRow = Map.groupBy(
    runs.filter(({ at, isKilled }) => at.getTime() > fromMs && !isKilled),
    ({ payload: { claim: _, ...row } }) => JSON.stringify(row),
  )
  const pauses = [...byRow.values()].flatMap((tries) =>
    tries.slice(1).map(({ at }, index) => at.getTime() - (tries[index]?.at.getTime() ?? 0)),
  )
  return Math.min(...pauses)
}
