import { beforeEach, describe, expect, test } from 'vitest'
import { getAccountSummary } from '../../../schema/api/account.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const asksToConfirm = '4000002760003184'
const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty', clerk: 'trusting' })
const { stripe, server, worker } = product
const life = planLife(product)
beforeEach(() => life.startOver())

async function renewWith(card: string): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product)
  await worker.catchUp()
  await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card })
  await life.live(32)
  return bought
}

const summaryOf = async ({ user_id }: PaidPurchase) =>
  server.ask(getAccountSummary, { token: user_id, query: { payer: 'personal' } })
const pageOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 1 })).data[0]
    ?.hosted_invoice_url

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
  })

  test('the event of a payment to be confirmed is enough when the others are lost', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: asksToConfirm })
    await product.advanceDays(32)
    const events = await stripe.takeEvents()
    await worker.applyStripe(events.filter(({ type }) => type === 'invoice.payment_action_required'))
    expect((await summaryOf(bought)).overdue).toMatchObject({ needs_confirmation: true })
  })
})
