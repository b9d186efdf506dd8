import { expect, test } from 'vitest'
import { listFindings } from '../../../schema/billing/reconciliation/findings.ts'
import { buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { signUp } from '../../../tests/support/services/clerk.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'
import { reconcileAll } from '../../reconciliation/run.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { clerk, database, stripe, worker } = product
const life = planLife(product)

const moveTo = ({ customer_id }: PaidPurchase, country: string) =>
  stripe.client.customers.update(customer_id, { address: { country } })
const latestOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '', limit: 1 })).data[0]
const isTold = async (bought: PaidPurchase) => (await life.row(bought))?.lacks_tax_location

async function buyTaxed(): Promise<PaidPurchase> {
  const { user_id } = await signUp(clerk)
  const bought = await buyPlan(product, { user_id: await buildUser(database.server, user_id) })
  await moveTo(bought, 'DE')
  await life.update(bought, { automatic_tax: { enabled: true } })
  return bought
}

test('a renewal without an address goes out without tax: customer and support are told, and an address switches the tax on again', async () => {
  const bought = await buyTaxed()
  await life.live(32)
  expect((await latestOf(bought))?.total_taxes).toMatchObject([{ amount: 319 }])
  expect(await isTold(bought)).toBe(false)

  await moveTo(bought, '')
  await life.live(31)
  expect(await latestOf(bought)).toMatchObject({ status: 'paid', total: 2000, total_taxes: [] })
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  expect(await isTold(bought)).toBe(true)
  await product.advanceDays(0.1)
  await reconcileAll(worker.deps, 'test')
  const found = await listFindings(database.server, { filter: { state: 'open' }, limit: 10 })
  const untaxed = { kind: 'subscription_untaxed', object_id: bought.subscription_id }
  expect(found.findings).toContainEqual(expect.objectContaining(untaxed))

  await moveTo(bought, 'FR')
  await product.advanceDays(0.1)
  const { stripe_subscription_id: subscription_id, next_try_at } =
    (await life.row(bought)) ?? expect.fail('No row')
  expect(next_try_at.getTime()).toBeLessThan(product.clock.now().getTime())
  await processSubscriptionSync(worker.deps, { subscription_id })
  expect(await isTold(bought)).toBe(false)
  await life.live(31)
  expect((await latestOf(bought))?.total_taxes).toMatchObject([{ amount: 333 }])
})

test('an invoice that Stripe does not finalize without an address tells its customer, too', async () => {
  const bought = await buyTaxed()
  await life.toPeriodEnd(bought, 10)
  await moveTo(bought, '')
  const draft = await latestOf(bought)
  await expect(stripe.client.invoices.finalizeInvoice(draft?.id ?? '')).rejects.toThrow('location')
  const events = await stripe.takeEvents()
  await worker.applyStripe(events.filter(({ type }) => type === 'invoice.finalization_failed'))
  expect(await isTold(bought)).toBe(true)
})
