import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { newPlans, newSubscriptionCheckout } from '../testing/billing.ts'
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
const saving: Params = { saved_payment_method_options: { payment_method_save: 'enabled' } }
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

it('the tax of a single payment is inside the amount, and its address is kept with the customer', async () => {
  const { harness, stripe, customer, open, session } = await start(withTax)
  const { id, amount_total, automatic_tax } = await open()
  expect({ amount_total, status: automatic_tax.status }).toEqual({
    amount_total: 700,
    status: 'requires_location_inputs',
  })
  const fields = { ...goodCard, country: 'DE', postal_code: '10115' }
  expect((await harness.submit(id, { ...fields, postal_code: '' })).status).toBe(422)
  expect((await harness.submit(id, fields)).status).toBe(303)
  expect(await session(id)).toMatchObject({
    amount_total: 700,
    automatic_tax: { status: 'complete' },
    total_details: { amount_tax: 112 },
  })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({
    name: 'Ada Lovelace',
    address: { country: 'DE', postal_code: '10115' },
  })
})

it('a subscription goes on with automatic tax, with the same totals', async () => {
  const { harness, stripe, customer } = await start()
  const plans = await newPlans(harness)
  const { id } = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
    customer: customer.id,
    automatic_tax: { enabled: true },
    customer_update: { address: 'auto' },
  })
  await harness.pay(id, { country: 'DE' })
  const { subscription } = await stripe.checkout.sessions.retrieve(id)
  expect(await stripe.subscriptions.retrieve(String(subscription))).toMatchObject({
    automatic_tax: { enabled: true },
  })
  await harness.knob(`subscriptions/${subscription}/renew`)
  const { data } = await stripe.invoices.list({ subscription: String(subscription) })
  expect(data).toHaveLength(2)
  for (const invoice of data) {
    expect(invoice).toMatchObject({
      total: 2000,
      amount_paid: 2000,
      automatic_tax: { enabled: true, status: 'complete' },
      total_excluding_tax: 1681,
      total_taxes: [{ amount: 319, tax_behavior: 'inclusive' }],
    })
  }
})

it('a bank debit has its invoice once it is paid', async () => {
  const { harness, open, session } = await start({ ...inclusivePack, invoice_creation: { enabled: true } })
  const { id } = await open()
  await harness.pay(id, { method: 'delayed' })
  expect((await session(id)).invoice).toBeNull()
  await harness.knob(`sessions/${id}/settle`, { outcome: 'succeeded' })
  expect((await session(id)).invoice).toMatch(/^in_/)
})

it('the card of a subscription is kept for it, and offered again only with the box ticked', async () => {
  const { harness, stripe, customer } = await start()
  const plans = await newPlans(harness)
  const params = { customer: customer.id, ...saving }
  const { id } = await newSubscriptionCheckout(harness, plans.pro_monthly.id, params)
  await harness.pay(id)
  const second = await newSubscriptionCheckout(harness, plans.pro_monthly.id, params)
  await harness.pay(second.id, { save: true })
  const { data } = await stripe.customers.listPaymentMethods(customer.id)
  expect(data.map(({ allow_redisplay }) => allow_redisplay)).toEqual(['always', 'limited'])
})
