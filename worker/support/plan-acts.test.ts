import { beforeEach, describe, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import type { ActKind } from '../../schema/api/support-acts.ts'
import { approveAct, findAct, outcomeOf } from '../../schema/support/acts.ts'
import { findTarget } from '../../schema/support/targets.ts'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { buyPlan, type PaidPurchase } from '../../tests/support/factories/paid-purchases.ts'
import { startFaultProxy } from '../../tests/support/faults/fault-proxy.ts'
import { isLong } from '../../tests/support/long.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'
import { processSupportAct } from './support-act.ts'

const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { clerk, database, stripe, worker } = product
const life = planLife(product)
const colleague = madeOnce(() => signUp(clerk, { role: 'support' }))
beforeEach(() => life.startOver())
booksEndRight(database)

type Kind = Extract<ActKind, 'end_plan' | 'end_plan_later' | 'pay_invoice' | 'void_invoice'>

const invoicesOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 100 })).data
const atStripe = ({ subscription_id }: PaidPurchase) =>
  stripe.client.subscriptions.retrieve(subscription_id ?? '')

/** What the act is done to: the plan, or its newest invoice. */
async function targetOf(bought: PaidPurchase, kind: Kind) {
  const isPlan = kind === 'end_plan' || kind === 'end_plan_later'
  if (isPlan) return { kind: 'subscription', id: bought.subscription_id ?? '' } as const
  return { kind: 'invoice', id: (await invoicesOf(bought))[0]?.id ?? '' } as const
}

async function ask(bought: PaidPurchase, kind: Kind, is_dry_run = false): Promise<string> {
  const target = await targetOf(bought, kind)
  // As the page has it that was opened before something changed.
  const { id, state } = await buildAct(database, { kind, target, is_dry_run, owner_id: bought.owner_id })
  if (state === 'waiting_for_approval') {
    const { user_id: approved_by } = colleague
    const token = await tokenOf(clerk, colleague)
    await approveAct(database.server, { id, approved_by, token, next_try_at: new Date() })
  }
  return id
}

async function perform(bought: PaidPurchase, kind: Kind, is_dry_run = false) {
  const id = await ask(bought, kind, is_dry_run)
  await processSupportAct(worker.deps, { act_id: id })
  return resultOf(id)
}

async function resultOf(id: string) {
  const act = await findAct(database.owner, id)
  return { state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

/** A plan of which the first month is paid. */
async function paidPlan(): Promise<PaidPurchase> {
  return buyPlan(product)
}

/** One whose month has begun in an earlier second than the act: a month that lasts no time is taken back, and does not expire. */
async function planOfYesterday(): Promise<PaidPurchase> {
  const bought = await paidPlan()
  await life.live(1)
  return bought
}

/** A plan whose renewal is declined. */
async function overduePlan(): Promise<PaidPurchase> {
  const bought = await paidPlan()
  await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: failsAtRenewal })
  await life.live(32)
  return bought
}

async function overduePlanWithGoodCard(): Promise<PaidPurchase> {
  const bought = await overduePlan()
  await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: '4242424242424242' })
  return bought
}

const cases = [
  {
    kind: 'end_plan',
    of: planOfYesterday,
    plan: { status: 'canceled' },
    invoices: ['paid'],
    changes: [{ what: 'plan', before: 'pro', after: 'starter' }],
  },
  {
    kind: 'end_plan',
    of: overduePlan,
    plan: { status: 'canceled' },
    invoices: ['void', 'paid'],
    changes: [{ what: 'plan', before: 'pro', after: 'starter' }],
  },
  {
    kind: 'end_plan_later',
    of: paidPlan,
    plan: { status: 'active', cancel_at_period_end: true },
    invoices: ['paid'],
    changes: [],
  },
  {
    kind: 'pay_invoice',
    of: overduePlanWithGoodCard,
    plan: { status: 'active' },
    invoices: ['paid', 'paid'],
    changes: [],
  },
  {
    kind: 'void_invoice',
    of: overduePlan,
    plan: {},
    invoices: ['void', 'paid'],
    changes: [],
  },
] as const

describe.each(cases)('the act $kind of $of.name', ({ kind, of, plan, invoices, changes }) => {
  const statuses = async (bought: PaidPurchase) => (await invoicesOf(bought)).map(({ status }) => status)

  test('its preview changes nothing and says what the act then does', async () => {
    const bought = await of()
    const before = [await statuses(bought), await life.row(bought), await life.balance(bought)]
    const preview = await perform(bought, kind, true)
    expect([await statuses(bought), await life.row(bought), await life.balance(bought)]).toEqual(before)
    expect(preview).toMatchObject({ state: 'done', outcome: { changed: true } })
    expect(preview.outcome?.changes).toEqual(
      expect.arrayContaining(changes.map((one) => expect.objectContaining(one))),
    )
    const done = await perform(bought, kind)
    expect(done).toEqual(preview)
    expect(await atStripe(bought)).toMatchObject(plan)
    expect(await statuses(bought)).toEqual(invoices)
    const books = [await life.row(bought), await life.balance(bought)]
    await worker.catchUp()
    const [row, balance] = books
    expect(await life.balance(bought)).toEqual(balance)
    expect(await life.row(bought)).toMatchObject({ status: (row as { status: string }).status })
  })

  test('it is done once at Stripe and once in the books, whichever statement its worker dies at', async () => {
    const proxy = await startFaultProxy(database.url)
    try {
      let hits = 0
      for (let statement = 1; ; statement += isLong ? 1 : 7) {
        const moment = statement % 2 ? 'before' : 'after'
        await life.startOver()
        const bought = await of()
        const id = await ask(bought, kind)
        const connection = connectForTest(proxy.url(database.url), { role: 'tidemark_worker' })
        proxy.strike({ statement, moment })
        await processSupportAct({ ...worker.deps, db: connection.db }, { act_id: id }).catch(() => undefined)
        const isHit = proxy.struck
        proxy.disarm()
        proxy.repair()
        await connection.close()
        await processSupportAct(worker.deps, { act_id: id })
        const where = `killed ${moment} statement ${statement}`
        expect(await resultOf(id), where).toMatchObject({ state: 'done' })
        await worker.catchUp()
        expect(await statuses(bought), where).toEqual(invoices)
        const charges = (await life.charges(bought)).filter(({ status }) => status === 'succeeded')
        expect(charges, where).toHaveLength(invoices.filter((status) => status === 'paid').length)
        const grants = await database.rows('ledger_grants', { owner_id: bought.owner_id }, ['id'])
        expect(grants, where).toHaveLength(charges.length)
        if (!isHit) break
        hits++
      }
      expect(hits, 'statements at which the connection was lost').toBeGreaterThan(isLong ? 20 : 2)
    } finally {
      await proxy.close()
    }
  })

  test('asked in two tabs, it is done once, and later it finds nothing left to do or is refused', async () => {
    const bought = await of()
    const id = await ask(bought, kind)
    const target = await targetOf(bought, kind)
    expect(await buildAct(database, { kind, target })).toMatchObject({ id })
    await Promise.all([1, 2].map(() => processSupportAct(worker.deps, { act_id: id })))
    expect((await resultOf(id)).outcome).toMatchObject({ changed: true })
    const { data } = await stripe.client.events.list({ limit: 100 })
    expect(await perform(bought, kind)).toMatchObject({ state: 'done', outcome: { changed: false } })
    expect((await stripe.client.events.list({ limit: 100 })).data).toHaveLength(data.length)
  })
})

describe('an act about a plan', () => {
  test('a card that the bank declines ends the act as failed, with the code, and the plan stays as it is', async () => {
    const bought = await overduePlan()
    expect(await perform(bought, 'pay_invoice')).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^stripe_refuses .*Your card was declined.* \(generic_decline\)/),
    })
    expect((await invoicesOf(bought))[0]).toMatchObject({ status: 'open' })
  })

  test.each([
    ['pay_invoice', 'void'],
    ['void_invoice', 'paid'],
  ] as const)('%s of an invoice that is %s by now fails and changes nothing', async (kind, status) => {
    const bought = await overduePlanWithGoodCard()
    const id = await ask(bought, kind)
    const [invoice] = await invoicesOf(bought)
    if (status === 'void') await stripe.client.invoices.voidInvoice(invoice?.id ?? '')
    else await stripe.client.invoices.pay(invoice?.id ?? '')
    await processSupportAct(worker.deps, { act_id: id })
    const error = failureOf('has_state', { what: 'invoice', state: status })
    expect(await resultOf(id)).toMatchObject({ state: 'failed', error })
    expect((await invoicesOf(bought))[0]).toMatchObject({ status })
  })

  test('an invoice that is named as of another owner is left alone', async () => {
    const [bought, other] = [await overduePlan(), await paidPlan()]
    const target = await targetOf(bought, 'pay_invoice')
    const { id } = await buildAct(database, { kind: 'pay_invoice', target, owner_id: other.owner_id })
    await processSupportAct(worker.deps, { act_id: id })
    expect(await resultOf(id)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^not_sold/),
    })
  })

  test('an open invoice is found with its owner, and no longer once it is void', async () => {
    const bought = await overduePlan()
    const target = await targetOf(bought, 'void_invoice')
    expect(await findTarget(database.owner, target)).toMatchObject({
      owner_id: bought.owner_id,
      state: 'open',
    })
    await perform(bought, 'void_invoice')
    expect(await findTarget(database.owner, target)).toBeNull()
  })

  test('a plan that the customer ended meanwhile is left as it is, and one that was scheduled to change ends too', async () => {
    const bought = await paidPlan()
    await life.cancel(bought)
    expect(await perform(bought, 'end_plan_later')).toMatchObject({
      state: 'done',
      outcome: { changed: true },
    })
    const next = await paidPlan()
    await stripe.client.subscriptionSchedules.create({ from_subscription: next.subscription_id ?? '' })
    expect(await perform(next, 'end_plan_later')).toMatchObject({ state: 'done' })
    expect(await atStripe(next)).toMatchObject({ cancel_at_period_end: true, schedule: null })
  })
})
