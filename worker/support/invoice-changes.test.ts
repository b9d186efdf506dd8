import { beforeEach, describe, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { findAct, outcomeOf } from '../../schema/support/acts.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { buildPaidPlan, type PaidPurchase } from '../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
const life = planLife(product)
beforeEach(() => life.startOver())
booksEndRight(database)

async function invoiceNow({ subscription_id }: PaidPurchase, { is_dry_run = false } = {}) {
  const target = { kind: 'subscription', id: subscription_id ?? '' } as const
  const { id } = await buildAct(database, { kind: 'invoice_changes', target, is_dry_run })
  await processSupportAct(worker.deps, { act_id: id })
  const act = await findAct(database.owner, id)
  return { state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

/** A year for a team, and ten days later another number of seats, to be billed with the renewal. */
async function changeLater(quantity: number): Promise<PaidPurchase> {
  const owner_id = `org_${crypto.randomUUID().replaceAll('-', '')}`

  const bought = await buildPaidPlan(product, {
    owner_id,
    plan_type: 'teams',
    seats: 2,
    billing_frequency: 'yearly',
  })
  await life.live(10)
  const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  const item = { id: items.data[0]?.id ?? '', quantity }
  await life.update(bought, { items: [item], proration_behavior: 'create_prorations' })
  await worker.catchUp()
  return bought
}

const planOf = async (bought: PaidPurchase) => (await life.balance(bought)).plan
const invoicesOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 100 })).data

describe('a change of seats that waits for its invoice', () => {
  test('seats that were added bring their credits once support has them invoiced', async () => {
    const bought = await changeLater(5)
    expect(await planOf(bought)).toBe(1000)
    expect(await invoiceNow(bought, { is_dry_run: true })).toMatchObject({
      state: 'done',
      outcome: {
        changed: true,
        invoice: { total_minor: expect.any(Number), currency: 'EUR', refusal: null },
      },
    })
    expect(await invoicesOf(bought)).toHaveLength(1)
    const { state, outcome } = await invoiceNow(bought)
    expect(state).toBe('done')
    expect(outcome).toMatchObject({ transfers: [{ kind: 'seat_grant', account: 'plan' }] })
    const [invoice] = await invoicesOf(bought)
    expect(invoice).toMatchObject({ status: 'paid', billing_reason: 'manual' })
    expect(invoice?.amount_paid).toBeGreaterThan(0)
    // Three seats for about 21 of 31 days.
    expect(await planOf(bought)).toBeGreaterThan(1900)
    expect(await planOf(bought)).toBeLessThan(2500)
    expect(await life.row(bought)).toMatchObject({ seats_total: 5, pending_lines: [] })
    expect((await invoiceNow(bought)).outcome).toMatchObject({
      changed: false,
      note: failureOf('lacks', { what: 'waiting_change' }),
    })
    expect(await invoicesOf(bought)).toHaveLength(2)
  })

  test('an act whose worker died after Stripe had made the invoice makes no other one', async () => {
    const bought = await changeLater(5)
    const target = { kind: 'subscription', id: bought.subscription_id ?? '' } as const
    const { id } = await buildAct(database, { kind: 'invoice_changes', target })
    await stripe.client.invoices.create(
      { customer: bought.customer_id, subscription: target.id },
      { idempotencyKey: `support_act_${id}` },
    )
    await processSupportAct(worker.deps, { act_id: id })
    expect(await findAct(database.owner, id)).toMatchObject({ state: 'done' })
    expect((await invoicesOf(bought)).map(({ status }) => status)).toEqual(['paid', 'paid'])
  })

  test('a card that is refused leaves the invoice open, and the outcome says so', async () => {
    const bought = await changeLater(5)
    await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: '4000000000000341' })
    const { state, outcome } = await invoiceNow(bought)
    expect(state).toBe('done')
    expect(outcome?.invoice?.refusal).toContain('Your card was declined')
    expect(await planOf(bought)).toBe(1000)
    expect((await invoicesOf(bought))[0]).toMatchObject({ status: 'open', auto_advance: true })
  })

  test('the money of seats that were given up goes to the customer’s balance at Stripe', async () => {
    const bought = await changeLater(1)
    expect(await invoiceNow(bought)).toMatchObject({ state: 'done', error: null })
    expect((await invoicesOf(bought))[0]).toMatchObject({ status: 'paid', amount_paid: 0 })
    expect(await stripe.client.customers.retrieve(bought.customer_id)).toMatchObject({
      balance: expect.any(Number),
    })
    expect(await life.row(bought)).toMatchObject({ seats_total: 1, pending_lines: [] })
  })

  test('a subscription that has ended, or that is none of ours, is not invoiced', async () => {
    const bought = await changeLater(5)
    await life.cancel(bought)
    expect(await invoiceNow(bought)).toMatchObject({
      state: 'failed',
      error: failureOf('has_state', { what: 'plan', state: 'canceled' }),
    })
  })
})
