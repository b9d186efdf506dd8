import { expect, test } from 'vitest'
import { findCharge } from '../../../schema/billing/charges/charges.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { buildPaidCredits, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../../tests/support/factories/purchases.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { postPurchaseDifference } from '../../books/post-difference.ts'
import { syncSubject } from '../sync-subject.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
booksEndRight(database)

const life = planLife(product)
const totalNow = async (bought: PaidPurchase) => {
  await worker.catchUp()
  return (await life.balance(bought)).total
}

/** A purchase of 500 credits whose invoice was paid in so many parts. */
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
  const { idempotency_key } = await database.row('ledger_transfers', { intent_id: intent.id })
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

test('a refund takes back in proportion, and partial ones add up to all of it', async () => {
  const bought = await buildPaidCredits(product)
  const left = []
  for (const amount of [100, 250, 350]) {
    await life.refund((await life.charges(bought))[0], amount)
    left.push(await totalNow(bought))
  }
  expect(left).toEqual([500 - 71, 500 - 250, 0])
})

test('a refund that fails gives the credits back, and one that is pending does not', async () => {
  const bought = await buildPaidCredits(product)
  const [charge] = await life.charges(bought)
  await life.refund(charge, 350)
  await worker.catchUp()
  const id = (await stripe.client.refunds.list({ charge: charge?.id ?? '' })).data[0]?.id
  await stripe.knob(`refunds/${id}/status`, { status: 'pending' })
  expect(await totalNow(bought)).toBe(250)
  await stripe.knob(`refunds/${id}/status`, { status: 'failed' })
  expect(await totalNow(bought)).toBe(500)
  expect((await life.charges(bought))[0]).toMatchObject({ amount_refunded: 350 })
})

test('the status of a dispute says what is taken: an inquiry nothing, a lost one that is appealed everything until the appeal is won', async () => {
  const bought = await buildPaidCredits(product)
  const [charge] = await life.charges(bought)
  await stripe.knob(`charges/${charge?.id}/dispute`, { status: 'warning_needs_response' })
  const [dispute] = (await stripe.client.disputes.list({ charge: charge?.id ?? '' })).data
  const left = [await totalNow(bought)]
  for (const status of ['needs_response', 'lost', 'appeal_needs_response', 'appeal_under_review', 'won']) {
    await stripe.knob(`disputes/${dispute?.id}/status`, { status })
    left.push(await totalNow(bought))
  }
  expect(left).toEqual([500, 0, 0, 0, 0, 500])
})

test('the status of a dispute that we do not know keeps what was known, and is said to people', async () => {
  const bought = await buildPaidCredits(product)
  const [{ id: charge } = { id: '' }] = await life.charges(bought)
  await life.dispute((await life.charges(bought))[0])
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
  const deps = { ...worker.deps, log, stripe: unknown }
  const outcome = await syncSubject(deps, { of: 'charge', id: charge }, 'test')
  const reason = expect.stringMatching(/^unknown_format .*dp_\w+ of_the_future/)
  expect(outcome).toEqual({
    state: 'applied',
    reason,
    ids: { charge_id: charge, intent_id: bought.intent_id, session_id: bought.session_id },
  })
  expect(warnings).toEqual([reason])
  expect(await totalNow(bought)).toBe(0)
  expect(await findCharge(database.owner, charge)).toMatchObject({
    dispute_state: 'open',
    dispute_state_at: expect.any(Date),
  })
})
