import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { textOf } from '../testing/portal.ts'
import { goodCard, newCheckout, startHarness } from '../testing/sandbox.ts'

type Params = Partial<Stripe.Checkout.SessionCreateParams>

const inclusivePack: Params = {
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: 'eur',
        unit_amount: 700,
        tax_behavior: 'inclusive',
        product_data: { name: '500 credits', tax_code: 'txcd_10103001' },
      },
    },
  ],
}
const withTax: Params = {
  ...inclusivePack,
  automatic_tax: { enabled: true },
  tax_id_collection: { enabled: true },
  customer_update: { address: 'auto', name: 'auto' },
}
const terms: Params = {
  consent_collection: { terms_of_service: 'required' },
  custom_text: {
    terms_of_service_acceptance: { message: 'I agree to the [Terms](https://shop.test/terms)' },
  },
}

async function start(given: Params = {}) {
  const harness = await startHarness()
  const customer = await harness.stripe.customers.create({ email: 'ada@example.com' })
  const open = (more: Params = {}) => newCheckout(harness, { customer: customer.id, ...given, ...more })
  const session = async (id: string) => harness.stripe.checkout.sessions.retrieve(id)
  return { harness, stripe: harness.stripe, customer, open, session }
}

it.each([
  [
    'an address that is not kept',
    { customer_update: { name: 'auto' } },
    'requires a valid address on the Customer',
  ],
  [
    'a business name that is not kept',
    { customer_update: { address: 'auto' } },
    'set `customer_update[name]` to `auto`',
  ],
] as const)(
  'a session with automatic tax for a customer is refused with %s',
  async (_case, given, message) => {
    const { open } = await start(withTax)
    await expect(open(given as Params)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(message),
    })
  },
)

it('a session that updates a customer names one', async () => {
  const harness = await startHarness()
  await expect(newCheckout(harness, withTax)).rejects.toThrow('can only be used with `customer`')
})

it('a session with automatic tax is refused while Stripe Tax does not know where the business is', async () => {
  const { harness, stripe, open } = await start(withTax)
  await harness.knob('account', { tax: 'pending' })
  expect(await stripe.tax.settings.retrieve()).toMatchObject({ status: 'pending', head_office: null })
  await expect(open()).rejects.toMatchObject({ statusCode: 400 })
})

it('a session asks for consent to terms only where the account has an address for them', async () => {
  const { harness, open, session } = await start(terms)
  await expect(open()).rejects.toThrow('unless a URL is set in the Stripe Dashboard')
  await harness.knob('account', { terms_url: 'https://shop.test/terms' })
  const { id, url } = await open()
  expect(await textOf(url ?? '')).toContain('<a href="https://shop.test/terms"')
  expect((await harness.submit(id, goodCard)).status).toBe(422)
  expect((await harness.submit(id, { ...goodCard, terms: 'yes' })).status).toBe(303)
  expect(await session(id)).toMatchObject({ status: 'complete', consent: { terms_of_service: 'accepted' } })
})
