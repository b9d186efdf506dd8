import { readFileSync } from 'node:fs'
import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { newCheckout, startHarness } from './harness.ts'

type Fields = { [name: string]: Fields } | Fields[] | null

/** The key structure of the examples that Stripe publishes for each object; null is a plain value. */
const published: Record<string, Fields> = JSON.parse(
  readFileSync(new URL('published-fields.json', import.meta.url), 'utf8'),
)

/**
 * The paths that an object lacks. Where our value is null or a list is empty there is nothing to compare: the published
 * examples fill in fields that Stripe itself leaves null.
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
  const objects = {
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

  expect(Object.keys(published)).toEqual(expect.arrayContaining(Object.keys(objects)))
  expect(lacking).toEqual([])
})
