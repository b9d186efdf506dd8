import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { failureOf } from '../../schema/api/failures.ts'
import { listFindings } from '../../schema/billing/reconciliation/findings.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { openPlanCheckout } from '../../tests/support/factories/plan-checkouts.ts'
import { offerTrial } from '../../tests/support/factories/purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { reconcileAll } from '../reconciliation/run.ts'

const terms_url = 'https://tidemark.test/terms'
const { database, stripe, clerk, server, worker, clock, advanceDays } = testProduct({
  stripe: 'with_prices',
  clerk: 'sandbox',
  server: { env: { STRIPE_TAX: 'on', TERMS_URL: terms_url } },
})
beforeAll(() => stripe.knob('account', { terms_url }))
beforeAll(() => offerTrial(database, 0))
afterAll(() => stripe.knob('account', { terms_url: null }))

test('credits and a plan with tax in their prices bring what was promised, and invoices of credits no month', async () => {
  const buyer = await signUp(clerk)

  const plan = await openPlanCheckout(server, buyer)
  await stripe.knob(`sessions/${plan.sessionId}/pay`, { country: 'DE' })
  const credits = await server.ask(purchaseCredits, {
    token: buyer.token,
    body: { clerkUserId: buyer.user_id, credits: 1000, amount: 14, currency: 'EUR' },
  })
  await stripe.knob(`sessions/${credits.sessionId}/pay`, { country: 'DE' })
  await worker.catchUp()
  const { plan: of_plan } = await findBalance(database.owner, buyer.user_id)
  expect(await findBalance(database.owner, buyer.user_id)).toMatchObject({ purchased: 1000 })
  expect(of_plan).toBeGreaterThan(0)

  const { invoice, payment_intent, total_details } = await stripe.client.checkout.sessions.retrieve(
    credits.sessionId,
  )
  expect(total_details?.amount_tax).toBe(224)
  const lines = await database.owner.selectFrom('paid_invoice_lines').select('stripe_invoice_id').execute()
  expect(lines.map(({ stripe_invoice_id }) => stripe_invoice_id)).not.toContain(invoice)
  const events = await database.owner
    .selectFrom('inbox_events')
    .select(['type', 'state', 'reason'])
    .where('type', '=', 'invoice.paid')
    .where('state', '=', 'ignored')
    .execute()
  expect(events).toMatchObject([{ reason: failureOf('lacks', { what: 'subscription' }) }])

  await stripe.client.refunds.create({ payment_intent: String(payment_intent), amount: 700 })
  await worker.catchUp()
  expect(await findBalance(database.owner, buyer.user_id)).toMatchObject({ purchased: 500, plan: of_plan })

  await advanceDays(31)
  await worker.catchUp()
  clock.advance(3600_000)
  await reconcileAll(worker.deps, 'test')
  const { findings } = await listFindings(database.server, { filter: { state: 'open' }, limit: 10 })
  expect(findings).toEqual([])
})
