import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  cataloguePrices,
  portalMetadataKey,
  portalPriceMetadataKey,
  priceProblem,
  taxProblem,
} from '../../schema/vendors/stripe/catalogue.ts'
import { stripeApiVersion } from '../../schema/vendors/stripe/client.ts'
import { stripeEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import { lazyProxy, madeOnce } from '../../tests/support/made.ts'
import { startStripe } from '../../tests/support/services/stripe.ts'
import { readStripeSubject } from '../../worker/events/stripe-subject.ts'
import { setUpStripe } from './set-up.ts'

const sandbox = madeOnce(startStripe, (made) => made.stop())
const stripe = lazyProxy<Stripe>(() => sandbox.client, 'Stripe is not started')
beforeEach(() => sandbox.knob('reset'))

const webhook_url = 'https://app.example/api/stripe/webhook'
const setUp = () =>
  setUpStripe(stripe, {
    app_url: 'https://app.example',
    brand_name: 'Tidemark',
    webhook: { webhook_url, may_reach_localhost: false },
  })
const pricesNow = async () =>
  (await stripe.prices.list({ expand: ['data.currency_options'], limit: 100 })).data
const keyed = async (key: string) => (await pricesNow()).find((price) => price.lookup_key === key)
const portalsNow = async () => (await stripe.billingPortal.configurations.list({ limit: 100 })).data

describe('setting Stripe up', () => {
  test('setting Stripe up creates the products and prices of the catalogue, each in every currency', async () => {
    await setUp()
    for (const expected of cataloguePrices) {
      const price = await keyed(expected.lookup_key)
      if (!price) throw new Error(`${expected.lookup_key} is missing`)
      expect(priceProblem(price, expected)).toBeNull()
      expect(taxProblem(price)).toBeNull()
      expect(price.tax_behavior).toBe('inclusive')
    }
    expect((await pricesNow()).map((price) => price.lookup_key).toSorted()).toEqual([
      'pro_monthly',
      'pro_yearly',
      'teams_monthly',
      'teams_yearly',
    ])
    const yearly = await keyed('teams_yearly')
    expect(yearly).toMatchObject({
      unit_amount: 28_800,
      recurring: { interval: 'year' },
      product: 'plan_teams',
    })
    expect(yearly?.currency_options?.gbp?.unit_amount).toBe(28_800)
    expect(await stripe.products.retrieve('plan_pro')).toMatchObject({
      name: 'Tidemark Pro',
      active: true,
      tax_code: 'txcd_10103000',
    })
  })

  test('a second time changes nothing and creates nothing twice', async () => {
    const first = await setUp()
    const prices = await pricesNow()
    expect(first.changes.length).toBeGreaterThan(8)
    const second = await setUp()
    expect(second.changes).toEqual([])
    expect(await pricesNow()).toEqual(prices)
    expect(await portalsNow()).toHaveLength(6)
    expect((await stripe.products.list()).data).toHaveLength(2)
    expect((await stripe.webhookEndpoints.list()).data.filter(({ url }) => url === webhook_url)).toHaveLength(
      1,
    )
  })

  test('setting Stripe up moves the key of a price with another amount to a new price, and leaves the old one active', async () => {
    const product = await stripe.products.create({ id: 'plan_pro', name: 'Old name' })
    const old = await stripe.prices.create({
      product: product.id,
      lookup_key: 'pro_monthly',
      currency: 'eur',
      unit_amount: 1900,
      currency_options: { usd: { unit_amount: 1900 }, gbp: { unit_amount: 1900 } },
      recurring: { interval: 'month' },
    })
    const { changes } = await setUp()
    expect(changes).toContainEqual(
      expect.stringMatching(/^price pro_monthly: made price_.* it costs 1900 in EUR, not 2000$/),
    )
    const now = await keyed('pro_monthly')
    expect(now?.id).not.toBe(old.id)
    expect(now?.unit_amount).toBe(2000)
    expect(await stripe.prices.retrieve(old.id)).toMatchObject({ active: true, lookup_key: null })
    expect(await stripe.products.retrieve('plan_pro')).toMatchObject({ name: 'Tidemark Pro' })
  })

  const oldPrice = async (tax: {
    tax_behavior?: 'exclusive' | 'inclusive'
    gbp?: 'exclusive' | 'inclusive'
  }) => {
    await stripe.products.create({ id: 'plan_teams', name: 'Tidemark Teams' })
    const option = (tax_behavior: 'exclusive' | 'inclusive' | undefined) => ({
      unit_amount: 3000,
      ...(tax_behavior && { tax_behavior }),
    })
    return stripe.prices.create({
      product: 'plan_teams',
      lookup_key: 'teams_monthly',
      currency: 'eur',
      ...option(tax.tax_behavior),
      currency_options: { usd: option(tax.tax_behavior), gbp: option(tax.gbp ?? tax.tax_behavior) },
      recurring: { interval: 'month' },
    })
  }

  test.each([
    ['a price that says nothing of tax', {}, 'its tax behavior is unspecified, not inclusive'],
    [
      'one that says nothing of it in one currency',
      { tax_behavior: 'inclusive' as const, gbp: 'unspecified' as unknown as 'inclusive' },
      'its tax behavior in GBP is unspecified, not inclusive',
    ],
  ])('setting Stripe up sets the tax behavior of %s, once', async (_case, tax, reason) => {
    const old = await oldPrice(tax)
    const { changes } = await setUp()
    expect(changes).toContain(`price teams_monthly: ${old.id} is inclusive of tax now, because ${reason}`)
    const now = await keyed('teams_monthly')
    expect(now?.id).toBe(old.id)
    expect(now && taxProblem(now)).toBeNull()
    expect((await setUp()).changes).toEqual([])
  })

  test.each([
    ['a price', { tax_behavior: 'exclusive' as const }, 'its tax behavior is exclusive, not inclusive'],
    ['one currency', { gbp: 'exclusive' as const }, 'its tax behavior in GBP is exclusive, not inclusive'],
  ])(
    'setting Stripe up replaces a price when the tax behavior of %s is another one for good',
    async (_case, tax, reason) => {
      const old = await oldPrice(tax)
      const { changes } = await setUp()
      expect(changes).toContainEqual(
        expect.stringMatching(new RegExp(`^price teams_monthly: made price_.*, because ${reason}$`)),
      )
      const now = await keyed('teams_monthly')
      expect(now?.id).not.toBe(old.id)
      expect(now && taxProblem(now)).toBeNull()
      expect(await stripe.prices.retrieve(old.id)).toMatchObject({ active: true, lookup_key: null })
    },
  )

  test('setting Stripe up allows customers to change the billing period in the portal, and organizations their seats', async () => {
    await setUp()
    const features = Object.fromEntries(
      (await portalsNow()).map((portal) => [
        portal.metadata?.[portalPriceMetadataKey] || portal.metadata?.[portalMetadataKey],
        portal.features,
      ]),
    )
    for (const portal of Object.values(features)) {
      expect(portal).toMatchObject({
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: 'at_period_end' },
      })
    }
    expect(features.personal?.subscription_update.enabled).toBe(false)
    expect(features.organization?.subscription_update.enabled).toBe(false)
    for (const [plan, allowed] of [
      ['pro', ['price']],
      ['teams', ['price', 'quantity']],
    ] as const) {
      const monthly = (await keyed(`${plan}_monthly`))?.id ?? ''
      const yearly = (await keyed(`${plan}_yearly`))?.id ?? ''
      for (const prices of [
        [monthly, yearly],
        [yearly, monthly],
      ]) {
        expect(features[prices[0] ?? '']?.subscription_update).toMatchObject({
          enabled: true,
          default_allowed_updates: allowed,
          products: [{ product: `plan_${plan}`, prices }],
          proration_behavior: 'always_invoice',
          schedule_at_period_end: {
            conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
          },
          trial_update_behavior: 'continue_trial',
        })
      }
    }
    expect(Object.keys(features)).toHaveLength(6)
  })

  test('setting Stripe up lets no customer have more seats than Clerk allows', async () => {
    await setUpStripe(stripe, {
      app_url: 'https://a.test',
      brand_name: 'B'.repeat(70),
      maximum_seats: 20,
      webhook: null,
    })
    const { data } = await stripe.billingPortal.configurations.list({ limit: 100 })
    const [most] = data.flatMap(({ features }) =>
      (features.subscription_update.products ?? []).map(({ adjustable_quantity }) => adjustable_quantity),
    )
    expect(most).toMatchObject({ maximum: 20 })
  })

  test('setting Stripe up makes a portal for subscribers at an old price, and sets its tax behavior', async () => {
    const old = await oldPrice({})
    await stripe.prices.update(old.id, { lookup_key: '' })
    const { changes } = await setUp()
    expect(changes).toContain(
      `price ${old.id}: inclusive of tax now, so that its subscribers can change their plan`,
    )
    expect(changes).toContainEqual(
      expect.stringMatching(new RegExp(`^portal organization at ${old.id}: made bpc_`)),
    )
    const portal = (await portalsNow()).find(({ metadata }) => metadata?.[portalPriceMetadataKey] === old.id)
    expect(portal?.features.subscription_update.products).toMatchObject([
      { prices: [old.id, (await keyed('teams_yearly'))?.id] },
    ])
    expect((await setUp()).changes).toEqual([])
  })

  test('restores a portal that was changed by hand', async () => {
    await setUp()
    const [portal] = await portalsNow()
    if (!portal) throw new Error('There is no portal')
    await stripe.billingPortal.configurations.update(portal.id, {
      features: { subscription_cancel: { enabled: false } },
    })
    await setUp()
    const after = await stripe.billingPortal.configurations.retrieve(portal.id)
    expect(after.features.subscription_cancel).toMatchObject({ enabled: true, mode: 'at_period_end' })
  })

  test('setting Stripe up creates the webhook endpoint, shows its secret once, and adds missing event types', async () => {
    const first = await setUp()
    expect(first.webhook?.secret).toMatch(/^whsec_/)
    const find = async () =>
      (await stripe.webhookEndpoints.list()).data.find((endpoint) => endpoint.url === webhook_url)
    const made = await find()
    expect(made?.enabled_events).toEqual([...stripeEventTypes])
    await stripe.webhookEndpoints.update(made?.id ?? '', { enabled_events: ['invoice.paid'] })
    const second = await setUp()
    expect(second.changes).toEqual([`webhook endpoint ${webhook_url}: brought up to date`])
    expect(second.webhook?.secret).toBeNull()
    expect((await find())?.enabled_events).toEqual([...stripeEventTypes])
  })

  test('setting Stripe up says what to do with an endpoint of another API version, and leaves it alone beside one of ours', async () => {
    const enabled_events = [...stripeEventTypes]
    const old = await stripe.webhookEndpoints.create({
      url: webhook_url,
      enabled_events,
      api_version: '2025-03-31.basil',
    })
    const told = await setUp()
    expect(told.webhook?.warnings).toEqual([
      expect.stringMatching(`API version 2025-03-31.basil.* delete ${old.id} in Stripe’s dashboard`),
    ])
    await stripe.webhookEndpoints.create({ url: webhook_url, enabled_events, api_version: stripeApiVersion })
    expect(await setUp()).toMatchObject({ changes: [], webhook: { warnings: [] } })
  })

  test.each(stripeEventTypes)(
    'setting Stripe up subscribes only to events that the worker handles: %s',
    async (type) => {
      const event = { id: 'evt_1', object: 'event', type, created: 1, data: { object: { object: 'other' } } }
      // An empty object cannot be applied; what matters is that the worker handles it.
      let reason = ''
      try {
        const subject = readStripeSubject(event, { livemode: false })
        if (subject.of === 'nothing') reason = subject.reason ?? ''
      } catch {
        // A session without its fields is refused, by code that handles it.
      }
      expect(reason).not.toContain('not_handled')
    },
  )

  test('setting Stripe up explains how events reach a machine that Stripe cannot reach', async () => {
    const { webhook } = await setUpStripe(stripe, {
      app_url: 'http://localhost:3000',
      brand_name: 'Tidemark',
      webhook: { webhook_url: 'http://localhost:3000/api/stripe/webhook', may_reach_localhost: false },
    })
    expect(webhook?.skipped).toContain('stripe listen --forward-to http://localhost:3000/api/stripe/webhook')
  })
})
