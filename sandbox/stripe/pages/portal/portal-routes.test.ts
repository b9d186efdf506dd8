import { expect, it } from 'vitest'
import { firstItem, typesSince } from '../../testing/billing.ts'
import { placeOf, startPortal, textOf } from '../../testing/portal.ts'
import { goodCard } from '../../testing/sandbox.ts'

it('a plan that is canceled in the portal ends with its period, and can be kept', async () => {
  const { open, current, post, item, harness } = await startPortal()
  const { url } = await open()
  const path = `${url}/subscriptions/${(await current()).id}`
  expect(await textOf(`${path}/cancel`)).toContain('until the end of your billing period')

  const answer = await post(`${path}/cancel`)

  expect(await textOf(new URL(placeOf(answer), url).href)).toContain('Your plan will be canceled')
  // As at Stripe, flexible billing mode sets the date and not the flag.
  expect(await current()).toMatchObject({
    status: 'active',
    cancel_at: item.current_period_end,
    cancel_at_period_end: false,
    cancellation_details: { reason: 'cancellation_requested' },
  })
  const again = await typesSince(harness, () => post(`${path}/cancel`))
  expect(again).toEqual([])

  await post(`${path}/keep`)
  expect(await current()).toMatchObject({ cancel_at: null, canceled_at: null })
})

it('another plan is chosen among those of the configuration', async () => {
  const { open, current, post, plans, item } = await startPortal({ quantity: 1 })
  const { url } = await open()
  const path = `${url}/subscriptions/${item.subscription}`
  const choice = await textOf(`${path}/update`)
  for (const { id } of [plans.pro_monthly, plans.pro_yearly, plans.teams_monthly])
    expect(choice).toContain(id)
  const query = new URLSearchParams({ price: plans.pro_yearly.id, quantity: '1' })
  expect(await textOf(`${path}/confirm?${query}`)).toContain('€192.00')
  await post(`${path}/confirm`, { price: plans.pro_yearly.id, quantity: '1' })
  expect(firstItem(await current()).price.id).toBe(plans.pro_yearly.id)
})

it.each([
  ['more than the configuration allows', { quantity: '101' }, 'Enter at most 100.'],
  ['a part of a seat', { quantity: '1.5' }, 'Enter a whole number.'],
  ['none', { quantity: '0' }, 'Enter at least 1.'],
  ['what there is already', { quantity: '5' }, 'your plan as it is'],
  ['a plan that is not offered', { price: 'price_none', quantity: '2' }, 'This plan is not offered.'],
])('choosing %s is refused', async (_case, fields, text) => {
  const { open, current, item, plans } = await startPortal()
  const { url } = await open()
  const query = new URLSearchParams({ price: plans.teams_monthly.id, ...fields })
  const answer = await fetch(`${url}/subscriptions/${item.subscription}/confirm?${query}`)
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain(text)
  expect(firstItem(await current()).quantity).toBe(5)
})

it('a change that cannot be paid changes nothing, and says why', async () => {
  const { open, current, post, item, plans, stripe, customer } = await startPortal()
  const declining = await stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: declining.id } })
  const { url } = await open()
  const answer = await post(`${url}/subscriptions/${item.subscription}/confirm`, {
    price: plans.teams_monthly.id,
    quantity: '9',
  })
  expect(answer.status).toBe(402)
  expect(await answer.text()).toContain('Your card was declined.')
  expect(await current()).toMatchObject({ status: 'active', items: { data: [{ quantity: 5 }] } })
})

it('a new card pays from now on, unless the subscription has a card of its own', async () => {
  const { open, current, post, harness, stripe, customer } = await startPortal()
  const { id } = await current()
  const [own] = (await stripe.customers.listPaymentMethods(customer.id)).data
  await stripe.subscriptions.update(id, { default_payment_method: own?.id ?? '' })
  const { url } = await open({ flow_data: { type: 'payment_method_update' } })
  expect(await textOf(url)).toContain('Change your payment method')
  expect((await post(`${url}/payment-method`, { ...goodCard, cvc: '' })).status).toBe(422)
  expect((await post(`${url}/payment-method`, { ...goodCard, number: '4000000000000002' })).status).toBe(402)

  const types = await typesSince(harness, () =>
    post(`${url}/payment-method`, { ...goodCard, number: '5555 5555 5555 4444' }),
  )

  expect(types).toEqual(['payment_method.attached', 'customer.updated'])
  const renewedFrom = async () => {
    await harness.knob(`subscriptions/${id}/renew`, {})
    const [charge] = (await stripe.charges.list({ customer: customer.id, limit: 1 })).data
    return charge?.payment_method_details?.card?.last4
  }
  expect(await renewedFrom()).toBe('4242')
  await stripe.subscriptions.update(id, { default_payment_method: '' })
  expect(await renewedFrom()).toBe('4444')
  expect(await textOf(`${url}/overview`)).toContain('Mastercard •••• 4444')
})

it('an unpaid invoice can be paid on its own page', async () => {
  const { open, current, post, harness, stripe } = await startPortal()
  await harness.knob(`subscriptions/${(await current()).id}/renew`, { payment: 'fails' })
  const { url } = await open()
  expect(await textOf(url)).toContain('Your last payment of €150.00 failed.')
  const { latest_invoice } = await current()
  const invoice = await stripe.invoices.retrieve(String(latest_invoice))
  const page = invoice.hosted_invoice_url ?? ''
  expect(await textOf(page)).toContain('Pay €150.00')
  expect((await post(page, { ...goodCard, number: '4000000000009995' })).status).toBe(402)

  expect((await post(page, goodCard)).status).toBe(303)

  expect(await current()).toMatchObject({ status: 'active' })
  expect(await textOf(page)).toContain('Amount paid')
})
