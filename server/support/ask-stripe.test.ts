import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getTrace } from '../../schema/api/support.ts'
import { findHeartbeat, recordHeartbeat } from '../../schema/inbox/cursors/cursors.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits, buyCredits, buyPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildAccount } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { traceInWords } from '../../tests/support/product/in-words.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { tryEvent } from '../../worker/events/try-event.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'
import { deleteOldRows } from '../../worker/tasks/delete-old-rows.ts'
import { readStripeEvents } from '../../worker/tasks/read-stripe-events.ts'
import { runTask } from '../../worker/tasks/schedule.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { clerk, clock, database, server, stripe, worker } = product
const sam = madeOnce(() => signUp(clerk, { role: 'support' }))
const kim = madeOnce(() => signUp(clerk, { role: 'support' }))

beforeEach(() => recordHeartbeat(database.worker))
afterEach(async () => {
  clock.reset()
  await stripe.clear('faults')
  await clerk.clear('faults')
})

const open = async (owner: string, colleague = sam) => {
  const { case_summary } = traceInWords(
    await server.ask(getTrace, { token: colleague.token, query: { owner } }),
  )
  return case_summary ?? expect.fail('There is no case')
}

const resyncsOf = (owner_id: string) =>
  database.rows('support_acts', { owner_id, is_dry_run: true }, ['id', 'state', 'requested_by'])

/** A worker does what the open case asked for. */
async function answer(owner_id: string) {
  for (const { id, state } of await resyncsOf(owner_id))
    if (state === 'queued') await processSupportAct(worker.deps, { act_id: id })
}

/** Opened, and read again when Stripe has answered. */
async function read(owner_id: string) {
  await open(owner_id)
  await answer(owner_id)
  return open(owner_id)
}

async function buildCustomer() {
  const { user_id } = await buildAccount(product)
  return user_id
}

async function buildBuyer(of?: string) {
  const user_id = of ?? (await buildCustomer())
  return buyCredits(product, { user_id })
}

const present = 'All expected credits are present.'
const resync = async (id: string) => {
  const act = await buildAct(database, { kind: 'resync', target: { kind: 'user', id } })
  await processSupportAct(worker.deps, { act_id: act.id })
}

describe('what happened at Stripe and was told by no event is the headline of a case that is opened', () => {
  const refund = async (session_id: string) => {
    const { payment_intent } = await stripe.client.checkout.sessions.retrieve(session_id)
    return stripe.client.refunds.create({ payment_intent: String(payment_intent) })
  }
  const planOf = async (user_id: string) => {
    const { subscription_id } = await buyPlan(product, { user_id })
    return subscription_id ?? ''
  }

  test.each<[string, (user_id: string) => Promise<unknown>, string]>([
    ['a paid page', (user_id) => buildPaidCredits(product, { user_id }), '+500 credits'],
    ['a refund', async (user_id) => refund((await buildBuyer(user_id)).session_id), '−500 credits'],
    [
      'a refund that failed after it was applied',
      async (user_id) => {
        const { id } = await refund((await buildBuyer(user_id)).session_id)
        await worker.catchUp()
        await stripe.knob(`refunds/${id}/status`, { status: 'failed' })
      },
      '+500 credits',
    ],
    ['a renewal', (user_id) => planOf(user_id).then(() => product.advanceDays(32)), '+500 credits'],
    [
      'the end of a plan',
      async (user_id) => stripe.client.subscriptions.cancel(await planOf(user_id)),
      'Plan: pro → starter',
    ],
  ])('%s is told with its credits, and is over when a resync was done', async (_, happen, told) => {
    const owner = await buildCustomer()
    await happen(owner)
    expect((await open(owner)).sentence).toBe('Asking Stripe …')
    await answer(owner)
    const found = await open(owner)
    expect(found.sentence).toMatch(/^Not arrived from Stripe: /)
    expect(found.sentence).toContain(told)
    expect(found).toMatchObject({
      comparison: { outcome: { changed: true } },
      problems: [{ replay: { id: owner } }],
    })
    await resync(owner)
    expect(await open(owner)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
  })

  test('a difference that an event has mended meanwhile is not told any more', async () => {
    const owner = await buildCustomer()
    await buildPaidCredits(product, { user_id: owner })
    expect(await read(owner)).toMatchObject({ comparison: { outcome: { changed: true } } })
    await worker.catchUp()
    expect(await open(owner)).toMatchObject({ comparison: { state: 'late', outcome: null }, problems: [] })
    clock.advance(61_000)
    expect(await read(owner)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
  })

  test('an act of another kind that may have mended it asks again at once', async () => {
    const owner = await buildCustomer()
    const { intent_id } = await buildPaidCredits(product, { user_id: owner })
    expect(await read(owner)).toMatchObject({ comparison: { outcome: { changed: true } } })
    const target = { kind: 'intent', id: intent_id } as const
    await processSupportAct(worker.deps, {
      act_id: (await buildAct(database, { kind: 'replay', target })).id,
    })
    expect(await read(owner)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
  })
})

test('Stripe is asked once a minute about an owner, however many colleagues open the case', async () => {
  const { user_id } = await buildBuyer()
  await Promise.all([sam, kim, sam, kim, sam].map((colleague) => open(user_id, colleague)))
  expect(await resyncsOf(user_id)).toHaveLength(1)
  await answer(user_id)
  await Promise.all([sam, kim].map((colleague) => open(user_id, colleague)))
  expect(await resyncsOf(user_id)).toMatchObject([{ state: 'done' }])
  clock.advance(61_000)
  await Promise.all([sam, kim, sam].map((colleague) => open(user_id, colleague)))
  expect(await resyncsOf(user_id)).toHaveLength(2)
})

test('a case is green for a minute, however old the list of events is, and then Stripe is asked again', async () => {
  const { user_id } = await buildBuyer()
  await database.owner.deleteFrom('cursors').where('name', '=', 'stripe_events').execute()
  expect(await read(user_id)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
  clock.advance(59_000)
  expect(await open(user_id)).toMatchObject({ comparison: { state: 'agrees' } })
  clock.advance(40 * 24 * 3_600_000)
  expect(await open(user_id)).toMatchObject({ comparison: { state: 'asking' }, sentence: 'Asking Stripe …' })
  await answer(user_id)
  expect(await open(user_id)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
})

test('while Stripe is away a case says since when, in our words, and no question of it stays behind', async () => {
  const { user_id } = await buildBuyer()
  await readStripeEvents(worker.deps)
  const waiting = await buildCustomer()
  await buildPaidCredits(product, { user_id: waiting })
  const paid = (await stripe.takeEvents()).find(({ type }) => type === 'checkout.session.completed')
  const id = await receiveStripeEvent(database.server, paid as never)
  await stripe.knob('faults', { status: 500, count: 1000 })
  const away = await read(user_id)
  expect(away).toMatchObject({ comparison: { state: 'failed', error: 'stripe_away' } })
  expect(away.sentence).toMatch(
    /^What happened at Stripe since \d+ \w+ \d{4} at \d\d:\d\d UTC is not known: Stripe does not answer\.$/,
  )
  await expect(tryEvent(worker.deps, { source: 'stripe', id })).rejects.toThrow()
  const { sentence } = await read(waiting)
  expect(sentence).toMatch(/: Stripe does not answer \(since \d+ \w+ \d{4} at \d\d:\d\d UTC\)\./)
  await stripe.clear('faults')
  clock.advance(61_000)
  expect(await read(user_id)).toMatchObject({ sentence: present })
})

test('an organization is compared although Clerk does not answer, which its members cost a call each', async () => {
  const { user_id } = await buildAccount(product)
  const owner_id = `org_${crypto.randomUUID().replaceAll('-', '')}`
  await buyPlan(product, { user_id, owner_id, plan_type: 'teams', seats: 2 })
  await open(owner_id)
  await clerk.knob('faults', { status: 500, count: 1000 })
  await answer(owner_id)
  await clerk.clear('faults')
  expect(await open(owner_id)).toMatchObject({ comparison: { state: 'agrees' }, sentence: present })
})

test('without a worker a case says what is not known, and is answered when one comes', async () => {
  const { user_id } = await buildBuyer()
  await database.owner.deleteFrom('cursors').where('name', '=', 'worker').execute()
  const silent = { worker: { heard_at: null, is_silent: true }, comparison: { state: 'asking', at: null } }
  expect(await open(user_id)).toMatchObject({ ...silent, sentence: 'What happened at Stripe is not known.' })
  await runTask(worker.deps, 'say_alive')
  expect(await open(user_id)).toMatchObject({ worker: { is_silent: false }, sentence: 'Asking Stripe …' })
  const ago = new Date(Date.now() - 21_000)
  await database.change('cursors', { name: 'worker' }, { completed_at: ago })
  const { worker: heard } = await open(user_id)
  expect(heard.is_silent).toBe(true)
  expect(Math.abs(Date.parse(heard.heard_at ?? '') - ago.getTime())).toBeLessThan(2000)
  await recordHeartbeat(database.worker)
  clock.advance(40 * 24 * 3_600_000)
  expect(await findHeartbeat(database.server, clock.now())).toMatchObject({ is_silent: false })
})

test('questions to Stripe are kept for a week, and write no line in the audit log; what was done is kept', async () => {
  const { user_id } = await buildBuyer()
  await read(user_id)
  await resync(user_id)
  const lines = database.owner.selectFrom('audit_log').select('what').where('owner_id', '=', user_id)
  expect(await lines.where('actor', '=', sam.user_id).execute()).toEqual([{ what: 'open_case' }])
  clock.advance(8 * 24 * 3_600_000)
  await deleteOldRows({ ...worker.deps, now: clock.now })
  expect(await resyncsOf(user_id)).toEqual([])
  const acts = () =>
    database.owner.selectFrom('support_acts').select('id').where('owner_id', '=', user_id).execute()
  const kept = await acts()
  expect(kept).toHaveLength(1)
  await database.worker.deleteFrom('support_acts').where('owner_id', '=', user_id).execute()
  expect(await acts()).toEqual(kept)
})
