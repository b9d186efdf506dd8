import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { type CheckoutPage, openPlanCheckout } from '../../tests/support/factories/plan-checkouts.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { TestServer } from '../../tests/support/product/test-server.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { stripe, clerk, server } = product
const terms_url = 'https://tidemark.test/terms'
const taxed = madeOnce(
  () => product.startServer({ env: { STRIPE_TAX: 'on', TERMS_URL: terms_url } }),
  (started) => started.close(),
)
const buyer = madeForEachTest(() => signUp(clerk))

const buyOn = (on: TestServer) =>
  on.ask(purchaseCredits, {
    token: buyer.token,
    body: { clerkUserId: buyer.user_id, credits: 500, amount: 7, currency: 'EUR' },
  })
const sessionOf = ({ sessionId }: CheckoutPage) =>
  stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items.data.price.product'] })

describe('with STRIPE_TAX and TERMS_URL', () => {
  beforeAll(() => stripe.knob('account', { terms_url }))
  afterAll(() => stripe.knob('account', { terms_url: null }))

  test.each([
    ['credits', buyOn, 'txcd_10103000'],
    ['a plan', (on: TestServer) => openPlanCheckout(on, buyer), 'txcd_10103000'],
  ] as const)(
    'the payment page of %s works out the tax in the price, asks for a tax id and for consent',
    async (_what, open, tax_code) => {
      const session = await sessionOf(await open(taxed))
      expect(session).toMatchObject({
        automatic_tax: { enabled: true },
        tax_id_collection: { enabled: true },
        consent_collection: { terms_of_service: 'required' },
        custom_text: {
          terms_of_service_acceptance: { message: `I agree to the [Terms of Service](${terms_url})` },
        },
      })
      expect(session.line_items?.data[0]?.price).toMatchObject({
        tax_behavior: 'inclusive',
        product: { tax_code },
      })
    },
  )

  test('a company abroad pays the promised amount, and its name and address are on the invoice', async () => {
    const { sessionId } = await buyOn(taxed)
    await stripe.knob(`sessions/${sessionId}/pay`, {
      country: 'FR',
      business: { name: 'Engines SARL', tax_id: 'FR12345678901' },
    })
    const paid = await stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['invoice'] })
    expect(paid.total_details?.amount_tax).toBe(0)
    expect(paid.invoice).toMatchObject({
      total: 700,
      amount_paid: 700,
      customer_name: 'Engines SARL',
      customer_address: { country: 'FR' },
      customer_tax_ids: [{ type: 'eu_vat', value: 'FR12345678901' }],
    })
  })
})

test('a payment page asks for neither address nor consent without STRIPE_TAX and TERMS_URL', async () => {
  const session = await sessionOf(await buyOn(server))
  expect(session).toMatchObject({ automatic_tax: { enabled: false }, consent_collection: null })
  expect(session.tax_id_collection?.enabled ?? false).toBe(false)
  expect(session.invoice_creation?.enabled).toBe(true)
})

test('a checkout fails with a reason when Stripe has no address of the terms', async () => {
  const request = {
    token: buyer.token,
    body: { clerkUserId: buyer.user_id, credits: 500, amount: 7, currency: 'EUR' },
  }
  expect(await taxed.api(purchaseCredits, request)).toMatchObject({
    status: 502,
    body: { code: 'checkout_failed' },
  })
})
