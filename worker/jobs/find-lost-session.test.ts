import { expect, test } from 'vitest'
import { findIntent, recordCustomer } from '../../schema/billing/checkout/intents.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { processCheckoutCompletion } from './checkout-completion.ts'

const product = testProduct({ stripe: 'empty' })
const { clock, database, stripe, worker } = product

/** A session that was paid, although the server died before it could write it down. */
async function buildLostPage() {
  const intent = await buildPurchase(database.server, { created_at: clock.now() })
  const { id: customer } = await stripe.client.customers.create({ email: `${intent.user_id}@tidemark.test` })
  await recordCustomer(database.server, { id: intent.id, stripe_customer_id: customer })
  const session = await stripe.client.checkout.sessions.create({
    mode: 'payment',
    customer,
    client_reference_id: intent.id,
    metadata: { intentId: intent.id },
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: 700, product_data: { name: '500 credits' } },
      },
    ],
    success_url: 'http://localhost:3000/billing/success?session_id={CHECKOUT_SESSION_ID}',
  })
  await stripe.knob(`sessions/${session.id}/pay`)
  return { intent, session }
}

test.each([-60, 0, 5, 60])(
  'a lost page is found by a clock that is %i minutes ahead of Stripe’s',
  async (minutes) => {
    clock.setAhead({ minutes })
    const { intent, session } = await buildLostPage()
    await processCheckoutCompletion(worker.deps, { intent_id: intent.id, cause: 'schedule' })
    expect(await findIntent(database.owner, intent.id)).toMatchObject({
      state: 'settled',
      stripe_session_id: session.id,
    })
    expect(await findBalance(database.owner, intent.owner_id)).toMatchObject({ purchased: 500 })
  },
)
