import type Stripe from 'stripe'
import { beforeEach, expect, test } from 'vitest'
import { getAccountSummary, getNextPayment } from '../../../schema/api/account.ts'
import { buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty', clerk: 'trusting' })
const { stripe, server, worker } = product
const life = planLife(product)
beforeEach(() => life.startOver())

const personal = { query: { payer: 'personal' } } as const
const summaryOf = ({ user_id }: PaidPurchase) =>
  server.ask(getAccountSummary, { token: user_id, ...personal })
const nextPaymentOf = ({ user_id }: PaidPurchase) =>
  server.ask(getNextPayment, { token: user_id, ...personal })
const latestInvoice = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 1 })).data[0]?.id ?? ''

type Pause = Stripe.SubscriptionUpdateParams.PauseCollection['behavior']
async function pause({ subscription_id }: PaidPurchase, behavior: Pause | null): Promise<void> {
  const pause_collection = behavior === null ? '' : { behavior }
  await stripe.client.subscriptions.update(subscription_id ?? '', { pause_collection })
}

async function start(card?: string): Promise<PaidPurchase> {
  return buyPlan(product, card ? { card } : {})
}

test.each<Pause>(['void', 'keep_as_draft', 'mark_uncollectible'])(
  'a plan whose collection is paused (%s) keeps its credits until the end of what is paid, and no longer',
  async (behavior) => {
    const bought = await start()
    await life.use(bought, 100)
    await pause(bought, behavior)
    await worker.catchUp()
    expect(await nextPaymentOf(bought)).toMatchObject({ payment: null })
    expect(await summaryOf(bought)).toMatchObject({
      balance: { plan: 400 },
      plan_month: { resets: false },
      subscription: { status: 'active', lapses_at: expect.any(String) },
    })
    await life.live(32)
    expect(await summaryOf(bought)).toMatchObject({
      balance: { plan: 0, available: 0 },
      plan_month: null,
      renewal: null,
      overdue: null,
      subscription: { status: 'active' },
    })
  },
)

test.each(['voidInvoice', 'markUncollectible'] as const)(
  'a plan whose renewal was ended by hand (%s) loses the credits of the month that was paid',
  async (end) => {
    const bought = await start(failsAtRenewal)
    await life.live(32)
    expect(await summaryOf(bought)).toMatchObject({
      balance: { plan: 500 },
      subscription: { lapses_at: null },
    })
    await stripe.client.invoices[end](await latestInvoice(bought))
    await worker.catchUp()
    expect(await summaryOf(bought)).toMatchObject({
      balance: { plan: 0 },
      renewal: null,
      subscription: { lapses_at: expect.any(String) },
    })
  },
)

test('a plan whose quantity is set to 0 brings nothing after what is paid, and again when it is 1', async () => {
  const bought = await start()
  const id = bought.subscription_id ?? ''
  const { items } = await stripe.client.subscriptions.retrieve(id)
  const set = (quantity: number) =>
    stripe.client.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', quantity }],
      proration_behavior: 'none',
    })
  await set(0)
  await life.live(32)
  expect(await summaryOf(bought)).toMatchObject({
    balance: { plan: 0 },
    subscription: { seats_total: 0, lapses_at: expect.any(String) },
  })
  await set(1)
  await life.live(31)
  expect(await summaryOf(bought)).toMatchObject({
    balance: { plan: 500 },
    subscription: { seats_total: 1, lapses_at: null },
  })
})

test('a plan whose pause ends brings the credits of the next period that is paid', async () => {
  const bought = await start()
  await pause(bought, 'void')
  await life.live(32)
  await pause(bought, null)
  await worker.catchUp()
  expect(await summaryOf(bought)).toMatchObject({ balance: { plan: 0 } })
  expect(await nextPaymentOf(bought)).toMatchObject({ payment: { amount_minor: 2000 } })
  await life.live(31)
  expect(await summaryOf(bought)).toMatchObject({
    balance: { plan: 500 },
    subscription: { lapses_at: null },
  })
})

test('a draft that was kept during a pause ends the books as a renewal in time does, once it is paid', async () => {
  const ends: { plan: number; purchased: number }[] = []
  for (const behavior of [null, 'keep_as_draft'] as const) {
    const bought = await start()
    await giveCredits(product.database, bought.owner_id, { purchased: 1000 })
    await life.use(bought, 100)
    await pause(bought, behavior)
    await life.live(32)
    // In the gap it is paid with what was bought.
    await life.use(bought, 200)
    if (behavior) {
      await pause(bought, null)
      await stripe.client.invoices.finalizeInvoice(await latestInvoice(bought), { auto_advance: true })
      await worker.catchUp()
    }
    await life.use(bought, 30)
    const { plan, purchased } = await life.balance(bought)
    ends.push({ plan, purchased })
    await life.startOver()
  }
  expect(ends).toEqual([{ plan: 270, purchased: 1000 }, ends[0]])
})
