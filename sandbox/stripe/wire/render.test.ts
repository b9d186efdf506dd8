import { readFileSync } from 'node:fs'
import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { firstItem, newPlans, newSubscriber } from '../testing/billing.ts'
import { newCheckout, startHarness } from '../testing/sandbox.ts'

type Fields = { [name: string]: Fields } | Fields[] | null

/**
 * The key structure of the examples that Stripe publishes for each object (https://docs.stripe.com/api, API
 * version 2026-10-28.endive, read in November 2026); null is a plain value. What the examples leave out is
 * checked by the SDK's types, of which the stored rows are made.
 */
const published: Record<string, Fields> = JSON.parse(
  readFileSync(new URL('published-fields.json', import.meta.url), 'utf8'),
)

/**
 * The paths that an object lacks. Nulls and empty lists are not compared: published examples fill them in.
 */
function missing(value: unknown, fields: Fields, path: string): string[] {
  if (fields === null || value === null || typeof value !== 'object') return []
  if (Array.isArray(fields)) {
    return (value as unknown[]).flatMap((item, index) =>
      missing(item, fields[0] ?? null, `${path}[${index}]`),
    )
  }
  return Object.entries(fields).flatMap(([name, inner]) =>
    name in value
      ? missing((value as Record<string, unknown>)[name], inner, `${path}.${name}`)
      : [`${path}.${name}`],
  )
}

it('objects carry every field of the examples that Stripe publishes', async () => {
  const harness = await startHarness()
  const { stripe } = harness
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  const product = await stripe.products.create({ name: 'Credits' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    unit_amount: 2000,
    recurring: { interval: 'month' },
  })
  const session = await newCheckout(harness, { customer: customer.id })
  await harness.pay(session.id)
  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent.latest_charge'],
  })
  const intent = paid.payment_intent as Stripe.PaymentIntent & { latest_charge: Stripe.Charge }
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 100 })
  const disputed = await newCheckout(harness)
  await harness.pay(disputed.id, { card: '4000000000000259' })
  const [dispute] = (await stripe.disputes.list()).data
  const charge = await stripe.charges.retrieve(intent.latest_charge?.id ?? '')
  const [event] = (await stripe.events.list()).data
  const billing = await billingObjects(harness)
  const objects = {
    ...billing,
    customer,
    product,
    price,
    'checkout.session': paid,
    payment_intent: intent,
    charge,
    refund,
    dispute,
    event,
  }

  const lacking = Object.entries(objects).flatMap(([name, value]) =>
    missing(value, published[name] ?? null, name),
  )

  expect(Object.keys(objects).sort()).toEqual(Object.keys(published).sort())
  expect(Object.values(objects)).not.toContain(undefined)
  expect(lacking).toEqual([])
})

/** A subscription with a proration on its newest invoice, and a portal session for one more. */
async function billingObjects(harness: Awaited<ReturnType<typeof startHarness>>) {
  const { stripe } = harness
  const plans = await newPlans(harness)
  const { customer, subscription, item } = await newSubscriber(harness, {
    items: [{ price: plans.teams_monthly.id, quantity: 5 }],
  })
  const updated = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 7 }],
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice.payments'],
  })
  const invoice = updated.latest_invoice as Stripe.Invoice
  const [invoiceitem] = (await stripe.invoiceItems.list({ invoice: invoice.id ?? '' })).data
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['quantity'],
        products: [{ product: plans.teams.id, prices: [plans.teams_monthly.id] }],
        schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
      },
    },
  })
  const session = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription: subscription.id,
        items: [{ id: item.id, quantity: 8 }],
      },
      after_completion: { type: 'redirect', redirect: { return_url: 'http://shop.test' } },
    },
  })
  return {
    subscription: updated,
    subscription_item: firstItem(updated),
    invoice,
    invoice_payment: invoice.payments?.data[0],
    invoiceitem,
    'billing_portal.configuration': configuration,
    'billing_portal.session': session,
  }
}
