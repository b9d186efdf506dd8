import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Repair } from '../../schema/api/reconciliation.ts'
import { recordOutcome } from '../../schema/billing/checkout/outcomes.ts'
import { type FindingRow, listFindings, saveFindings } from '../../schema/billing/reconciliation/findings.ts'
import { findProvenUntil, type Run } from '../../schema/billing/reconciliation/runs.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findAct } from '../../schema/support/acts.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { buildUnexplained } from '../../tests/support/factories/grants.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
  buyPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildGrant, postTransfer } from '../../tests/support/factories/transfers.ts'
import { buildAccount, buildUser } from '../../tests/support/factories/users.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { producerOf } from '../../tests/support/product/test-worker.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { processJob } from '../consumers.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCheckout } from '../events/checkout.ts'
import { processSupportAct } from '../support/support-act.ts'
import { compareSeats } from '../tasks/compare-seats.ts'
import { adjustmentOf } from './comparison.ts'
import { reconcile, reconcileAll } from './run.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, worker, stripe, clerk, clock } = product
const life = planLife(product)

// The buyers here have no account at the stand-in of Clerk: deleted-owners.test.ts has buyers who had one.
beforeAll(() => {
  Object.assign(worker.deps, { clerk: { ...worker.deps.clerk, isGone: async () => false } })
})
const hourMs = 3600_000

/** As the claim and the queue do it, once. */
async function claimOnce(): Promise<void> {
  const jobs: Parameters<WorkerDependencies['producer']['add']>[] = []
  const producer = producerOf(async (...job) => void jobs.push(job))
  await processJob({ ...worker.deps, producer }, 'tasks', { task: 'enqueue_due_rows' })
  for (const [queue, , payload] of jobs) await processJob(worker.deps, queue, payload)
}

/** Everything arrives and is done; afterwards nothing is young any more. */
async function settle(): Promise<void> {
  await worker.catchUp()
  await worker.applyAllOfClerk(await clerk.listEvents())
  await clerk.forgetEvents()
  clock.advance(hourMs)
  await claimOnce()
  await database.owner.deleteFrom('cursors').execute()
  await compareSeats(worker.deps)
}

/** As support does it. */
async function repair(finding: FindingRow): Promise<void> {
  const { kind, target, params } = finding.repair as unknown as Repair
  const { id } = await buildAct(database, { kind, target, finding_id: finding.id, params })
  await processSupportAct(worker.deps, { act_id: id })
  expect([finding.kind, await findAct(database.owner, id)]).toMatchObject([
    finding.kind,
    { state: 'done', error: null },
  ])
}

async function compare(): Promise<{ run: Run; findings: FindingRow[] }> {
  const run = await reconcileAll(worker.deps, 'test')
  const { findings } = await listFindings(database.server, { filter: { state: 'open' }, limit: 100 })
  return { run, findings }
}

const kindsOf = (findings: readonly FindingRow[]) => findings.map(({ kind }) => kind).sort()

/** Nothing of it arrives, and an hour passes, in which the claim has looked for it in vain. */
async function loseEvents(): Promise<void> {
  await stripe.takeEvents()
  clock.advance(hourMs)
  const next_try_at = new Date(clock.now().getTime() + hourMs)
  await database.change('checkout_intents', { state: 'open' }, { next_try_at })
}

/** Applies what is proposed for each, and compares again. */
async function repairAll(findings: readonly FindingRow[]): Promise<FindingRow[]> {
  for (const finding of findings) await repair(finding)
  clock.advance(hourMs)
  await claimOnce()
  return (await compare()).findings
}

async function buyTeam(): Promise<{ bought: PaidPurchase; member: { user_id: string; email: string } }> {
  const admin = await buildAccount(product)
  const organization = await buildOrganization(clerk, admin)

  const bought = await buyPlan(product, {
    plan_type: 'teams',
    seats: 3,
    owner_id: organization.id,
    user_id: admin.user_id,
  })
  const member = await signUp(clerk)
  await addMember(clerk, organization, member)
  return { bought, member }
}

beforeAll(async () => {
  const refunded = await buildPaidCredits(product)
  const disputed = await buildPaidCredits(product)
  const won = await buildPaidCredits(product)
  const used = await buildPaidPlan(product)
  const ended = await buildPaidPlan(product)
  const yearly = await buildPaidPlan(product, { billing_frequency: 'yearly' })
  await buildPaidPlan(product, { trial_days: 14 })
  await buyTeam()
  const expired = await buildOpenCredits(product)
  await buildOpenCredits(product)
  await settle()
  await life.refund((await life.charges(refunded))[0], 250)
  await life.dispute((await life.charges(disputed))[0])
  const dispute = await life.dispute((await life.charges(won))[0])
  await stripe.knob(`sessions/${expired.session_id}/expire`)
  await life.use(used, 120)
  await settle()
  await life.closeDispute(dispute, 'won')
  await life.changeSeats(ended, 2)
  await life.cancel(ended)
  await settle()
  await product.advanceDays(32)
  await settle()
  await life.use(yearly, 10)
}, 120_000)

booksEndRight(database)

test('a comparison of a varied history of which nothing was lost finds nothing, and everything until then is proven', async () => {
  const { run, findings } = await compare()
  expect(findings).toEqual([])
  expect(run).toMatchObject({ state: 'done', is_proven: true, error: null })
  expect(run.compared).toMatchObject({ organizations: 1, refunds: 1, disputes: 2, subscriptions: 5 })
  for (const what of ['sessions', 'invoices', 'owners', 'balance transactions']) {
    expect([what, (run.compared[what] ?? 0) >= 8]).toEqual([what, true])
  }
  expect(await findProvenUntil(database.worker)).toEqual(run.until)
})

test('what has just happened is on its way, and no finding', async () => {
  const bought = await buildPaidCredits(product)
  // Our clock is ahead of Stripe’s by what `settle` let pass.
  const now = () => new Date()
  const run = await reconcileAll({ ...worker.deps, now }, 'test')
  expect((await listFindings(database.server, { filter: { state: 'open' }, limit: 10 })).findings).toEqual([])
  expect(run.state).toBe('done')
  await settle()
  expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
})

test('the schedule begins one every six hours, and goes on with it job by job', async () => {
  expect(await reconcile(worker.deps)).toBeUndefined()
  clock.advance(6 * hourMs)
  await claimOnce()
  const run = await reconcile(worker.deps)
  expect(run).toMatchObject({ requested_by: 'schedule', state: 'done', is_proven: true })
})

describe('a planted difference is found, its repair is proposed, and resolves it:', () => {
  test('an event that was lost', async () => {
    const bought = await buildPaidCredits(product)
    await loseEvents()
    const { findings, run } = await compare()
    expect(run).toMatchObject({ state: 'done', is_proven: false, findings: findings.length })
    expect(findings).toMatchObject([
      {
        kind: 'session_not_settled',
        object_id: bought.session_id,
        owner_id: bought.user_id,
        amount_minor: 700,
        currency: 'EUR',
        credits: 500,
        repair: { kind: 'replay', target: { kind: 'intent', id: bought.intent_id }, params: {} },
      },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
  })

  test('a plan whose events were all lost', async () => {
    const bought = await buildPaidPlan(product)
    await loseEvents()
    const { findings } = await compare()
    expect(kindsOf(findings)).toEqual(['invoice_unknown', 'session_not_settled', 'subscription_unknown'])
    expect(findings.map(({ owner_id }) => owner_id)).toEqual(Array(3).fill(bought.user_id))
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).plan).toBe(500)
  })

  test('a deleted queue', async () => {
    const bought = await buildPaidCredits(product)
    const events = await stripe.takeEvents()
    for (const event of events) await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
    await loseEvents()
    const received_at = clock.now()
    await database.change('inbox_events', { state: 'received' }, { next_try_at: received_at, received_at })
    clock.advance(15 * 60_000)
    const soon = (await compare()).findings
    expect(new Set(kindsOf(soon))).toEqual(new Set(['work_overdue']))
    expect(soon[0]?.repair).toMatchObject({ kind: 'replay', target: { kind: 'event' } })
    clock.advance(hourMs)
    const later = (await compare()).findings
    expect(new Set(kindsOf(later))).toEqual(
      new Set(['event_unapplied', 'session_not_settled', 'work_overdue']),
    )
    expect(later.find(({ kind }) => kind === 'event_unapplied')?.data).toMatchObject({
      since: received_at.toISOString(),
    })
    expect(await repairAll(later)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
  })

  test('a session that was paid after we had given it up', async () => {
    const bought = await buildOpenCredits(product)
    const key = { id: bought.intent_id, stripe_session_id: bought.session_id }
    await database.worker.transaction().execute((trx) =>
      recordOutcome(trx, {
        ...key,
        state: 'failed',
        failure: { failure_code: 'payment_failed', failure_reason: 'payment_failed' },
      }),
    )
    await stripe.knob(`sessions/${bought.session_id}/pay`)
    await loseEvents()
    const { findings } = await compare()
    expect(findings).toMatchObject([
      { kind: 'session_not_settled', data: { state: 'failed', reason: 'payment_failed' } },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
  })

  test('a wrong number of seats, and the wrong role of one', async () => {
    const { bought, member } = await buyTeam()
    await settle()
    await database.owner
      .updateTable('subscriptions')
      .set({ seats_total: 7 })
      .where('stripe_subscription_id', '=', bought.subscription_id ?? '')
      .execute()
    await database.owner
      .insertInto('seats')
      .values({
        organization_id: bought.owner_id,
        email: 'unknown@tidemark.test',
        user_id: 'user_nobody',
        role: 'member',
        status: 'active',
      })
      .execute()
    await database.owner.deleteFrom('organization_members').where('user_id', '=', member.user_id).execute()
    const seatOfBuyer = database.owner.updateTable('seats').where('user_id', '=', bought.user_id)
    await seatOfBuyer.set({ role: 'member' }).execute()
    clock.advance(hourMs)
    const { findings } = await compare()
    expect(kindsOf(findings)).toEqual([
      'member_limit_differs',
      'membership_without_seat',
      'seat_role_differs',
      'seat_without_membership',
      'subscription_differs',
    ])
    const differs = findings.find(({ kind }) => kind === 'subscription_differs')
    expect(differs).toMatchObject({
      data: { fields: [{ field: 'seats', there: '3', here: '7' }] },
      repair: { kind: 'replay', target: { kind: 'subscription', id: bought.subscription_id } },
    })
    expect(findings.find(({ kind }) => kind === 'seat_role_differs')).toMatchObject({
      object_id: `${bought.owner_id}/${bought.user_id}`,
      amount_minor: null,
      credits: null,
      data: { user_id: bought.user_id, there: 'admin', here: 'member' },
    })
    expect(findings.find(({ kind }) => kind === 'seat_without_membership')).toMatchObject({
      repair: { kind: 'resync', target: { kind: 'organization', id: bought.owner_id } },
    })
    expect(await repairAll(findings)).toEqual([])
  })

  test('a transfer that nothing explains', async () => {
    const user_id = await buildUser(database.server)
    const { transfer_id } = await postTransfer(database.worker, buildGrant(user_id, 300))
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'adjustment_unexplained',
        object_id: String(transfer_id),
        owner_id: user_id,
        credits: -300,
        repair: {
          kind: 'adjust',
          target: { kind: 'user', id: user_id },
          params: { adjustment: { credits: -300 } },
        },
      },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, user_id)).total).toBe(0)
  })

  test('a difference that has gone, or that an adjustment named, is not adjusted again', async () => {
    const user_id = await buildUser(database.server)

    await postTransfer(database.worker, buildGrant(user_id, 300))
    const [finding] = (await compare()).findings
    if (!finding) throw new Error('It was found')
    await repair(finding)
    expect(await adjustFor(finding, 300)).toMatchObject(gone)
    const books = { due: 300, lacking: [] }
    const name = { kind: 'credits_missing', object_id: 'purchase/stale' } as const
    const stale = { ...name, owner_id: user_id, data: books, credits: 300 }
    await database.worker.transaction().execute((trx) => saveFindings(trx, [stale], clock.now()))
    const { findings } = await listFindings(database.server, { filter: { state: 'open' }, limit: 10 })
    const credits = findings.find(({ kind }) => kind === 'credits_missing')
    expect(await adjustFor(credits, 300)).toMatchObject(gone)
    expect((await findBalance(database.owner, user_id)).total).toBe(0)
    expect((await compare()).findings).toEqual([])
  })

  test('a month that no invoice paid for', async () => {
    const bought = await buildPaidPlan(product)
    await settle()
    const unexplained = buildUnexplained(bought, clock.now())
    await postTransfer(database.worker, unexplained)
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'grant_unexplained',
        object_id: unexplained.grant.id,
        credits: -900,
        repair: { kind: 'resync', target: { kind: 'user' } },
      },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect(await findBalance(database.owner, bought.owner_id)).toMatchObject({ plan: 500, purchased: 0 })
  })

  test('a refund and a dispute while we were away', async () => {
    const [refunded, disputed, plan] = [
      await buildPaidCredits(product),
      await buildPaidCredits(product),
      await buildPaidPlan(product),
    ]
    await settle()
    const charges = await Promise.all(
      [refunded, disputed, plan].map(async (one) => (await life.charges(one))[0]),
    )
    await life.refund(charges[0], 350)
    await life.dispute(charges[1])
    await life.refund(charges[2], 1000)
    await loseEvents()
    const { findings } = await compare()
    expect(kindsOf(findings)).toEqual(['dispute_differs', 'refund_differs', 'refund_differs'])
    const ofPurchase = findings.find(({ object_id }) => object_id === charges[0]?.id)
    expect(ofPurchase).toMatchObject({
      owner_id: refunded.user_id,
      amount_minor: 350,
      credits: -250,
      repair: { kind: 'replay', target: { kind: 'charge', id: charges[0]?.id } },
    })
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, refunded.owner_id)).total).toBe(250)
    expect((await findBalance(database.owner, disputed.owner_id)).total).toBe(0)
    expect((await findBalance(database.owner, plan.owner_id)).plan).toBe(250)
  })

  test.each([
    ['of a person without books', async () => buildPaidCredits(product)],
    [
      'of a person with a plan',
      async () => {
        const plan = await buildPaidPlan(product)
        await settle()
        return buildPaidCredits(product, { user_id: plan.user_id })
      },
    ],
  ])('a settled purchase without its credits, %s', async (_, buy) => {
    const bought = await buy()
    await loseEvents()
    const before = (await findBalance(database.owner, bought.owner_id)).total
    await database.worker
      .transaction()
      .execute((trx) =>
        recordOutcome(trx, { state: 'settled', id: bought.intent_id, stripe_session_id: bought.session_id }),
      )
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'credits_missing',
        object_id: `purchase/${bought.intent_id}`,
        owner_id: bought.user_id,
        credits: 500,
        repair: { kind: 'resync', target: { kind: 'user', id: bought.user_id }, params: {} },
      },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(before + 500)
  })

  test('a refund that was written down and took nothing back', async () => {
    const bought = await buildPaidCredits(product)
    await settle()
    const [charge] = await life.charges(bought)
    await life.refund(charge)
    await loseEvents()
    const { intent_id } = bought
    const fact = { amount_minor: 700, refunded_minor: 700, disputed_minor: 0, snapshot_order: 1 }
    await database.worker
      .insertInto('charges')
      .values({ owner_id: bought.owner_id, stripe_charge_id: charge?.id ?? '', intent_id, ...fact })
      .execute()
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'credits_too_many',
        object_id: `purchase/${intent_id}`,
        owner_id: bought.user_id,
        amount_minor: null,
        credits: -500,
        repair: { kind: 'resync', target: { kind: 'user', id: bought.user_id }, params: {} },
      },
    ])
    expect(await repairAll(findings)).toEqual([])
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(0)
  })
})

/** What becomes of an adjustment that support asks for because of a finding. */
async function adjustFor(finding: FindingRow | undefined, credits: number) {
  const adjustment = { credits, customer_note: 'Correction', may_leave_debt: false }
  const { id } = await buildAct(database, {
    kind: 'adjust',
    target: { kind: 'user', id: finding?.owner_id ?? '' },
    finding_id: finding?.id ?? null,
    params: { adjustment },
  })
  await processSupportAct(worker.deps, { act_id: id })
  return findAct(database.owner, id)
}
const gone = { state: 'failed', error: expect.stringContaining('not_found {"what":"difference"') }

describe('a planted difference that only a person can decide about is found, and stays until then:', () => {
  test('credits for an unpaid session, until support has adjusted them', async () => {
    const bought = await buildOpenCredits(product)
    await stripe.takeEvents()
    const { intent_id } = bought
    const session = sessionOf(intent_id, { id: bought.session_id })
    const fetched = { of: 'checkout', intent_id, session, payment_intent_status: null } as const
    const cause = { event_id: null, actor: 'stripe', now: clock.now() }
    await database.worker.transaction().execute((trx) => applyCheckout(trx, fetched, cause))
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'settled_without_payment',
        object_id: bought.session_id,
        owner_id: bought.user_id,
        amount_minor: 700,
        currency: 'EUR',
        credits: -500,
        data: { status: 'open', payment_status: 'unpaid' },
        repair: null,
      },
    ])
    expect(await adjustFor(findings[0], -500)).toMatchObject({ state: 'done' })
    expect((await findBalance(database.owner, bought.owner_id)).total).toBe(0)
    expect((await compare()).findings).toEqual([])
  })

  test('another total of an invoice, until support has adjusted the credits because of it', async () => {
    const bought = await buildPaidPlan(product)
    await settle()
    const [line] = await database.owner
      .updateTable('paid_invoice_lines')
      .set({ total_minor: 1500 })
      .where('stripe_subscription_id', '=', bought.subscription_id ?? '')
      .returning('stripe_invoice_id')
      .execute()
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'invoice_differs',
        object_id: line?.stripe_invoice_id,
        owner_id: bought.user_id,
        amount_minor: 500,
        currency: 'EUR',
        credits: null,
        repair: null,
      },
    ])
    const [finding] = findings
    if (!finding) throw new Error('It was found')
    expect((await compare()).findings).toHaveLength(1)
    const total = (total_minor: number) =>
      database.change('paid_invoice_lines', { stripe_invoice_id: finding.object_id }, { total_minor })
    await total(2000)
    expect(await adjustFor(finding, 125)).toMatchObject(gone)
    await total(1500)
    await repair({
      ...finding,
      repair: adjustmentOf(bought.owner_id, 125) as unknown as FindingRow['repair'],
    })
    expect(await compare()).toMatchObject({ run: { is_proven: true }, findings: [] })
  })

  test('a plan that Stripe does not have', async () => {
    const user_id = await buildUser(database.server)

    const { id, intent_id } = await buildSubscription(database, {
      owner_id: user_id,
      user_id,
      fields: { next_try_at: clock.now() },
    })
    // Each is fetched again in its turn, and of this one the fetch fails for good.
    await expect(claimOnce()).rejects.toThrow(id)
    const { findings } = await compare()
    expect(findings).toMatchObject([
      {
        kind: 'subscription_gone',
        object_id: id,
        owner_id: user_id,
        amount_minor: null,
        credits: null,
        data: { status: 'active', seats: 1, failure: expect.stringContaining('No such subscription') },
        repair: null,
      },
    ])
    await database.owner.deleteFrom('subscriptions').where('stripe_subscription_id', '=', id).execute()
    await database.owner.deleteFrom('checkout_intents').where('id', '=', intent_id).execute()
    expect(await adjustFor(findings[0], 10)).toMatchObject(gone)
    expect((await compare()).findings).toEqual([])
  })
})

test('a payment whose checkout is not known has no repair', async () => {
  const customer = await stripe.client.customers.create({ email: 'lost@tidemark.test' })
  const intentId = randomUUID()
  const session = await stripe.client.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    client_reference_id: intentId,
    metadata: { intentId },
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: 700, product_data: { name: '500 credits' } },
      },
    ],
    success_url: 'http://localhost:3000/x',
  })
  await stripe.knob(`sessions/${session.id}/pay`)
  await loseEvents()
  const { findings } = await compare()
  expect(findings).toMatchObject([
    { kind: 'session_not_settled', object_id: session.id, owner_id: null, amount_minor: 700, repair: null },
  ])
  expect(findings[0]?.data).toMatchObject({ state: null })
})

test('a run that Stripe interrupts goes on where it was', async () => {
  clock.advance(6 * hourMs)
  await claimOnce()
  await stripe.knob('faults', { status: 500, path_prefix: '/v1/refunds', count: 3 })
  await expect(reconcile(worker.deps)).rejects.toThrow()
  await stripe.clear('faults')
  const run = await reconcile(worker.deps)
  expect(run?.state).toBe('done')
  expect(run?.compared.refunds).toBeGreaterThan(0)
})

test.each([401, 403])('a run whose key Stripe answers with %i ends, and says so', async (status) => {
  await stripe.knob('faults', { status, path_prefix: '/v1/refunds', count: 1 })
  const run = await reconcileAll(worker.deps, 'test')
  await stripe.clear('faults')
  expect(run).toMatchObject({ state: 'failed', error: expect.stringMatching(/^stripe_refuses_key /) })
})
