import { beforeEach, describe, expect, test } from 'vitest'
import { getAccountSummary } from '../../../schema/api/account.ts'
import { listMails } from '../../../schema/mails/mails.ts'
import { buildPaidPlan, buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { fetchSubscription } from './fetch-subscription.ts'
import { newsOf } from './news.ts'

const asksToConfirm = '4000002760003184'
const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty', clerk: 'trusting' })
const { stripe, server, worker } = product
const life = planLife(product)
beforeEach(() => life.startOver())

async function renewWith(card: string): Promise<PaidPurchase> {
  const bought = await buyPlan(product)
  await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card })
  await life.live(32)
  return bought
}

const summaryOf = async ({ user_id }: PaidPurchase) =>
  server.ask(getAccountSummary, { token: user_id, query: { payer: 'personal' } })
const told = async ({ user_id }: PaidPurchase) =>
  (await listMails(product.database.owner)).filter((mail) => mail.user_id === user_id)
const pageOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 1 })).data[0]
    ?.hosted_invoice_url

test('a card that pays for a plan is told of in the last 30 days of its month, unless the plan ends', async () => {
  const { owner_id, subscription_id } = await buildPaidPlan(product)
  const fetched = await fetchSubscription(worker.deps, subscription_id ?? '')
  if (!fetched?.card) throw new Error('The plan has no card')
  const card = { ...fetched.card, exp_year: 2030, exp_month: 6 }
  const on = (day: string, row = fetched.row) =>
    newsOf({ ...fetched, row, card }, { owner_id, currency: 'EUR', now: new Date(day) })
  expect(on('2030-05-31T00:00:00Z')).toEqual([])
  const figures = { last4: '4242', month: 6, year: 2030 }
  const mail = { kind: 'card_expires', owner_id, occasion: '4242 2030-6', figures }
  expect(on('2030-06-02T00:00:00Z')).toEqual([mail])
  expect(on('2030-06-02T00:00:00Z', { ...fetched.row, cancel_at: new Date() })).toEqual([])
})

describe('a renewal that is not paid', () => {
  test('the summary says that the bank wants a renewal confirmed, and leads to its page, until it is', async () => {
    const bought = await renewWith(asksToConfirm)
    const url = await pageOf(bought)
    expect(url).toMatch(/^http/)
    expect((await summaryOf(bought)).overdue).toMatchObject({
      needs_confirmation: true,
      url,
      amount_minor: 2000,
    })
    expect(await told(bought)).toMatchObject([{ kind: 'confirmation_needed', figures: { amount: '€20.00' } }])
    const body = new URLSearchParams({ number: asksToConfirm, expiry: '12/40', cvc: '123', name: 'Ada' })
    await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
    await worker.catchUp()
    expect(await summaryOf(bought)).toMatchObject({ overdue: null, subscription: { status: 'active' } })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('the summary says that a card was refused and when, and the page takes another one', async () => {
    const bought = await renewWith(failsAtRenewal)
    const [charge] = await life.charges(bought)
    expect((await summaryOf(bought)).overdue).toEqual({
      needs_confirmation: false,
      url: await pageOf(bought),
      amount_minor: 2000,
      decline_reason: null,
      declined_at: new Date(Number(charge?.created) * 1000).toISOString(),
      next_attempt_at: expect.any(String),
    })
    const again_on = (await summaryOf(bought)).overdue?.next_attempt_at
    expect(await told(bought)).toMatchObject([
      { kind: 'payment_declined', figures: { amount: '€20.00', reason: null, again_on } },
    ])
  })

  test('the event of a payment to be confirmed is enough when the others are lost', async () => {
    const bought = await buyPlan(product)
    await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: asksToConfirm })
    await product.advanceDays(32)
    const events = await stripe.takeEvents()
    await worker.applyStripe(events.filter(({ type }) => type === 'invoice.payment_action_required'))
    expect((await summaryOf(bought)).overdue).toMatchObject({ needs_confirmation: true })
  })
})
