import { expect, it } from 'vitest'
import { typesSince } from '../testing/billing.ts'
import { placeOf, startPortal, textOf } from '../testing/portal.ts'

// https://docs.stripe.com/customer-management#customer-portal-limitations

/** A portal whose subscriber has asked for fewer seats from the next period on. */
async function startScheduled() {
  const portal = await startPortal({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['quantity'],
        proration_behavior: 'always_invoice',
        schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
      },
    },
  })
  const { url } = await portal.open()
  const path = `${url}/subscriptions/${portal.item.subscription}`
  const fields = { price: portal.plans.teams_monthly.id, quantity: '3' }
  await portal.post(`${path}/confirm`, fields)
  return { ...portal, url, path, fields }
}

it('the overview offers neither a change nor an end while an update is scheduled', async () => {
  const { url, current } = await startScheduled()
  expect((await current()).schedule).not.toBeNull()
  const page = await textOf(url)
  expect(page).toContain('Until then it can be neither changed nor canceled here.')
  for (const text of ['Update plan', 'Cancel plan', 'Keep current plan']) expect(page).not.toContain(text)
})

it('its pages do nothing to a subscription with a scheduled update', async () => {
  const { path, post, current, harness, plans } = await startScheduled()
  const before = await current()
  const types = await typesSince(harness, async () => {
    for (const step of ['cancel', 'keep']) await post(`${path}/${step}`)
    const answer = await post(`${path}/confirm`, { price: plans.teams_monthly.id, quantity: '8' })
    expect(placeOf(answer)).toContain('/overview')
  })
  expect(types).toEqual([])
  expect(await current()).toEqual(before)
})

it('a change that is confirmed twice is scheduled once, and its second answer is that of the first', async () => {
  const { path, post, fields, harness } = await startScheduled()
  const types = await typesSince(harness, async () => {
    expect(placeOf(await post(`${path}/confirm`, fields))).toContain('notice=planned')
  })
  expect(types).toEqual([])
})

it('a schedule whose last phase has begun leaves the portal open, and a change there releases it', async () => {
  const { path, post, current, harness, plans, open, item, stripe } = await startScheduled()
  await harness.knob(`subscriptions/${item.subscription}/renew`)
  const { schedule } = await current()
  expect(schedule).not.toBeNull()
  const { flow } = await open({
    flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: item.subscription } },
  })
  expect(flow?.type).toBe('subscription_cancel')
  await post(`${path}/confirm`, { price: plans.teams_monthly.id, quantity: '8' })
  expect(await current()).toMatchObject({ schedule: null, items: { data: [{ quantity: 8 }] } })
  expect(await stripe.subscriptionSchedules.retrieve(String(schedule))).toMatchObject({ status: 'released' })
})

it('a plan whose reduction has taken effect is reduced again, or cancelled, on the portal’s pages', async () => {
  const { path, post, current, harness, plans, item, stripe } = await startScheduled()
  await harness.knob(`subscriptions/${item.subscription}/renew`)
  const { schedule } = await current()
  await post(`${path}/confirm`, { price: plans.teams_monthly.id, quantity: '2' })
  const { current_phase, phases } = await stripe.subscriptionSchedules.retrieve(String(schedule))
  expect(phases.map(({ items }) => items[0]?.quantity)).toEqual([3, 2])
  expect(current_phase?.end_date).toBe(phases[1]?.start_date)

  await harness.knob(`subscriptions/${item.subscription}/renew`)
  expect((await current()).items.data[0]?.quantity).toBe(2)
  await post(`${path}/cancel`)
  expect(await current()).toMatchObject({ schedule: null, cancel_at: expect.any(Number) })
})

/** A price that says in one currency or nowhere whether taxes come on top. */
async function unspecifiedPrice(
  { stripe, plans }: Awaited<ReturnType<typeof startPortal>>,
  given: { tax_behavior?: 'inclusive' | 'unspecified' } = {},
) {
  return stripe.prices.create({
    product: plans.teams.id,
    currency: 'eur',
    unit_amount: 2500,
    currency_options: { usd: { unit_amount: 2700 } },
    recurring: { interval: 'month' },
    ...given,
  })
}

it.each([
  ['nowhere', { tax_behavior: 'unspecified' as const }],
  ['not in every currency', { tax_behavior: 'inclusive' as const }],
])('a price whose tax behavior is set %s is in no configuration', async (_case, given) => {
  const portal = await startPortal()
  const price = await unspecifiedPrice(portal, given)
  expect(price.tax_behavior).toBe(given.tax_behavior)
  const params = {
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price' as const],
        products: [{ product: portal.plans.teams.id, prices: [price.id] }],
      },
    },
  }
  const { configurations } = portal.stripe.billingPortal
  const refusal = { statusCode: 400, message: expect.stringContaining('unspecified') }
  await expect(configurations.create(params)).rejects.toMatchObject(refusal)
  await expect(configurations.update(portal.configuration.id, params)).rejects.toMatchObject(refusal)
})

it('a subscription at such a price is changed neither by a flow nor on the pages', async () => {
  const portal = await startPortal()
  const { stripe, item, open, current, post } = portal
  const price = await unspecifiedPrice(portal)
  await stripe.subscriptions.update(item.subscription, { items: [{ id: item.id, price: price.id }] })
  await expect(
    open({
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: {
          subscription: item.subscription,
          items: [{ id: item.id, quantity: 8 }],
        },
      },
    }),
  ).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('unspecified') })
  const { url } = await open()
  expect(await textOf(url)).not.toContain('Update plan')
  await post(`${url}/subscriptions/${item.subscription}/confirm`, { price: price.id, quantity: '8' })
  expect((await current()).items.data[0]?.quantity).toBe(5)
})

/** The subscriber's price is not the one that the configuration lists for the same product and interval. */
async function startAtOldPrice() {
  const portal = await startPortal()
  const { stripe, plans, item } = portal
  const old = await stripe.prices.create({
    product: plans.teams.id,
    currency: 'eur',
    unit_amount: 2500,
    tax_behavior: 'inclusive',
    recurring: { interval: 'month' },
  })
  await stripe.subscriptions.update(item.subscription, { items: [{ id: item.id, price: old.id }] })
  return { ...portal, old }
}

it('the portal’s pages change no subscription whose price the configuration does not list, and can end it', async () => {
  const { open, item, old, post, current } = await startAtOldPrice()
  const { url } = await open()
  const page = await textOf(url)
  expect(page).not.toContain('Update plan')
  expect(page).toContain('Cancel plan')
  await post(`${url}/subscriptions/${item.subscription}/confirm`, { price: old.id, quantity: '8' })
  expect((await current()).items.data[0]).toMatchObject({ quantity: 5, price: { id: old.id } })
})

it('a configuration does not list two prices of one product with the same interval', async () => {
  const { stripe, plans, old, configuration } = await startAtOldPrice()
  const listing = (prices: string[]) => ({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['quantity' as const],
        products: [{ product: plans.teams.id, prices }],
      },
    },
  })
  const { configurations } = stripe.billingPortal
  const both = listing([plans.teams_monthly.id, old.id])
  const refusal = { statusCode: 400, message: expect.stringContaining('may recur every 1 month') }
  await expect(configurations.create(both)).rejects.toMatchObject(refusal)
  await expect(configurations.update(configuration.id, both)).rejects.toMatchObject(refusal)
  await expect(configurations.create(listing([old.id]))).resolves.toMatchObject({ active: true })
})

it('the tax behavior of a price is set once, in each currency', async () => {
  const portal = await startPortal()
  const { stripe } = portal
  const { id } = await unspecifiedPrice(portal)
  const set = (tax_behavior: 'exclusive' | 'inclusive') =>
    stripe.prices.update(id, {
      tax_behavior,
      currency_options: { usd: { tax_behavior } },
      expand: ['currency_options'],
    })
  expect(await set('inclusive')).toMatchObject({
    tax_behavior: 'inclusive',
    currency_options: {
      eur: { unit_amount: 2500, tax_behavior: 'inclusive' },
      usd: { unit_amount: 2700, tax_behavior: 'inclusive' },
    },
  })
  expect(await set('inclusive')).toMatchObject({ tax_behavior: 'inclusive' })
  await expect(set('exclusive')).rejects.toMatchObject({ statusCode: 400, param: 'tax_behavior' })
})
