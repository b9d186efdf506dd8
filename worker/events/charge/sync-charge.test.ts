import { afterAll, describe, expect, test } from 'vitest'
import { findCharge } from '../../../schema/billing/charges/charges.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
} from '../../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../../tests/support/factories/purchases.ts'
import { spendOne } from '../../../tests/support/factories/transfers.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { postPurchaseDifference } from '../../books/post-difference.ts'
import { syncSubject } from '../sync-subject.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const balanceOf = (bought: PaidPurchase) => findBalance(database.owner, bought.owner_id)
const use = (bought: PaidPurchase, credits: number) =>
  spendOne(database.server, {
    owner_id: bought.owner_id,
    credits,
    idempotency_key: crypto.randomUUID(),
    occurred_at: new Date(),
    actor: bought.user_id,
    reason: 'Test',
  })

async function chargeOf(bought: PaidPurchase): Promise<string> {
  const { data } = await stripe.client.charges.list({ customer: bought.customer_id, limit: 1 })
  return data[0]?.id ?? ''
}

async function refund(bought: PaidPurchase, amount?: number): Promise<void> {
  await stripe.client.refunds.create({ charge: await chargeOf(bought), ...(amount && { amount }) })
}

async function dispute(bought: PaidPurchase): Promise<string> {
  const charge = await chargeOf(bought)
  await stripe.knob(`charges/${charge}/dispute`)
  const { data } = await stripe.client.disputes.list({ charge, limit: 1 })
  return data[0]?.id ?? ''
}

const close = (id: string, outcome: 'won' | 'lost') => stripe.knob(`disputes/${id}/close`, { outcome })

/** A purchase of 500 credits whose invoice was paid in so many parts, as automatic top-up will buy. */
async function buildPurchaseByInvoice(parts: readonly number[]) {
  const user_id = await buildUser(database.server)
  const { id: customer } = await stripe.client.customers.create({ email: `${user_id}@tidemark.test` })
  const { id: payment_method } = await stripe.client.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.client.invoiceItems.create({ customer, amount: 700, currency: 'eur' })
  const { id: invoice = '' } = await stripe.client.invoices.create({
    customer,
    auto_advance: false,
    pending_invoice_items_behavior: 'include',
  })
  await stripe.client.invoices.finalizeInvoice(invoice)
  for (const amount of parts) await stripe.knob(`invoices/${invoice}/pay_part`, { amount })
  await stripe.client.invoices.pay(invoice, { payment_method })
  const { id } = await buildPurchase(database.owner, { user_id, owner_id: user_id })
  const intent = await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'settled', settled_at: new Date(), stripe_invoice_id: invoice })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const cause = { event_id: null, actor: 'stripe', now: new Date() }
  const post = () =>
    database.worker.transaction().execute((trx) => postPurchaseDifference(trx, intent, cause))
  const balance = () => findBalance(database.owner, user_id)
  return { customer, invoice, intent, post, balance }
}

test('a purchase that an invoice has paid is granted once, named after the invoice, and follows its money', async () => {
  const { customer, invoice, intent, post, balance } = await buildPurchaseByInvoice([])
  expect([(await post()).length, (await post()).length]).toEqual([1, 0])
  const { idempotency_key } = await database.owner
    .selectFrom('ledger_transfers')
    .select('idempotency_key')
    .where('intent_id', '=', intent.id)
    .executeTakeFirstOrThrow()
  expect(idempotency_key).toBe(`checkout/${invoice}`)
  const { data } = await stripe.client.charges.list({ customer })
  await stripe.client.refunds.create({ charge: data[0]?.id ?? '' })
  await worker.catchUp()
  expect(await balance()).toMatchObject({ purchased: 0, version: 2 })
})

test('a purchase whose invoice was paid in parts follows the money of each', async () => {
  const { customer, post, balance } = await buildPurchaseByInvoice([210, 140])
  await post()
  const { data } = await stripe.client.charges.list({ customer })
  const left = []
  for (const { id } of data.toSorted((a, b) => a.amount - b.amount)) {
    await stripe.client.refunds.create({ charge: id })
    await worker.catchUp()
    left.push((await balance()).purchased)
  }
  expect(left).toEqual([400, 250, 0])
})

describe('a refund', () => {
  test('a refund takes back in proportion, and partial ones add up to all of it', async () => {
    const bought = await buildPaidCredits(product)
    const left = []
    for (const amount of [100, 250, 350]) {
      await refund(bought, amount)
      await worker.catchUp()
      left.push((await balanceOf(bought)).total)
    }
    expect(left).toEqual([500 - 71, 500 - 250, 0])
  })

  test('a refund that fails gives the credits back, and one that is pending does not', async () => {
    const bought = await buildPaidCredits(product)
    await refund(bought, 350)
    await worker.catchUp()
    const charge = await chargeOf(bought)
    const id = (await stripe.client.refunds.list({ charge })).data[0]?.id
    await stripe.knob(`refunds/${id}/status`, { status: 'pending' })
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ purchased: 250 })
    await stripe.knob(`refunds/${id}/status`, { status: 'failed' })
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ purchased: 500 })
    expect(await stripe.client.charges.retrieve(charge)).toMatchObject({ amount_refunded: 350 })
  })

  test('a refund of credits that were spent leaves a debt, which the next purchase pays back', async () => {
    const bought = await buildPaidCredits(product)
    await worker.catchUp()
    await use(bought, 400)
    await refund(bought)
    await worker.catchUp()
    expect((await balanceOf(bought)).total).toBe(-400)
    expect((await use(bought, 1)).outcome).toBe('refused')
  })

  test('a refund of a plan takes back this month’s credits', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    await refund(bought, 1000)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 250 })
  })
})

describe('a dispute of a plan', () => {
  test('a dispute of a plan that is won after its month brings back only what was used of it', async () => {
    const bought = await buildPaidPlan(product)
    await product.advanceDays(28)
    const id = await dispute(bought)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    await product.advanceDays(4)
    await worker.catchUp()
    await close(id, 'won')
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
  })
})

describe('the status of a dispute', () => {
  const open = async (bought: PaidPurchase, status: string) => {
    const charge = await chargeOf(bought)
    await stripe.knob(`charges/${charge}/dispute`, { status })
    return (await stripe.client.disputes.list({ charge, limit: 1 })).data[0]?.id ?? ''
  }
  const move = (id: string, status: string) => stripe.knob(`disputes/${id}/status`, { status })
  const totalNow = async (bought: PaidPurchase) => {
    await worker.catchUp()
    return (await balanceOf(bought)).total
  }

  test('the status of a dispute says what is taken: an inquiry nothing, a lost one that is appealed everything until the appeal is won', async () => {
    const bought = await buildPaidCredits(product)
    const id = await open(bought, 'warning_needs_response')
    expect(await totalNow(bought)).toBe(500)
    for (const [status, total] of [
      ['needs_response', 0],
      ['lost', 0],
      ['appeal_needs_response', 0],
      ['appeal_under_review', 0],
      ['won', 500],
    ] as const) {
      await move(id, status)
      expect([status, await totalNow(bought)]).toEqual([status, total])
    }
  })

  test.each([
    [true, 0],
    [false, 500],
  ])('a dispute that was prevented takes what was withdrawn (%s)', async (takes_money, total) => {
    const bought = await buildPaidCredits(product)
    await stripe.knob(`charges/${await chargeOf(bought)}/dispute`, { status: 'prevented', takes_money })
    expect(await totalNow(bought)).toBe(total)
  })

  test('the status of a dispute that we do not know keeps what was known, and is said to people', async () => {
    const bought = await buildPaidCredits(product)
    await worker.catchUp()
    await dispute(bought)
    expect(await totalNow(bought)).toBe(0)
    const warnings: string[] = []
    const { disputes } = stripe.client
    const unknown = Object.create(stripe.client, {
      disputes: {
        value: {
          list: async (query: { charge: string }) => {
            const { data } = await disputes.list(query)
            return { data: data.map((one) => ({ ...one, status: 'of_the_future' })) }
          },
        },
      },
    })
    const log = Object.assign(Object.create(worker.deps.log), {
      warn: (_: object, text: string) => warnings.push(text),
    })
    const charge = await chargeOf(bought)
    const deps = { ...worker.deps, log, stripe: unknown }
    const outcome = await syncSubject(deps, { of: 'charge', id: charge }, 'test')
    const reason = expect.stringMatching(/^Dispute dp_\w+ is of_the_future, which we do not know/)
    expect(outcome).toEqual({
      state: 'applied',
      reason,
      ids: { charge_id: charge, intent_id: bought.intent_id, session_id: bought.session_id },
    })
    expect(warnings).toEqual([reason])
    expect((await balanceOf(bought)).total).toBe(0)
    expect(await findCharge(database.owner, charge)).toMatchObject({
      dispute_state: 'open',
      dispute_state_at: expect.any(Date),
    })
  })
})
