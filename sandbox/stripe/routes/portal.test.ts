import { expect, it } from 'vitest'
import { type Features, startPortal } from '../testing/portal.ts'

it.each([
  [
    'a feature that is off',
    { features: { subscription_update: { enabled: false } } },
    { quantity: 7 },
    'disabled',
  ],
  ['no change', {}, { quantity: 5 }, 'change nothing'],
  ['a price that is not offered', {}, { price: 'other' }, 'does not offer'],
  [
    'a quantity that is fixed',
    {
      features: {
        subscription_update: {
          enabled: true,
          default_allowed_updates: [],
          proration_behavior: 'none' as const,
        },
      },
    },
    { quantity: 7 },
    'does not allow to change the quantity',
  ],
] as const)('a flow to confirm %s is refused', async (_case, given, change, text) => {
  const { open, item, stripe, plans } = await startPortal(given as unknown as { features: Features })
  const other = await stripe.prices.create({
    product: plans.pro.id,
    currency: 'eur',
    unit_amount: 1,
    tax_behavior: 'inclusive',
    recurring: { interval: 'month' },
  })
  const wanted = 'price' in change ? { price: other.id } : change
  await expect(
    open({
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription: item.subscription, items: [{ id: item.id, ...wanted }] },
      },
    }),
  ).rejects.toThrow(text)
})

it('a customer cannot reach the subscription of another customer', async () => {
  const { open, stripe, item, current, post } = await startPortal()
  const other = await stripe.customers.create({ email: 'bob@example.com' })
  await expect(
    open({
      customer: other.id,
      flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: item.subscription } },
    }),
  ).rejects.toThrow('No such subscription')
  const { url } = await open({ customer: other.id })
  await post(`${url}/subscriptions/${item.subscription}/cancel`)
  expect(await current()).toMatchObject({ cancel_at: null })
  expect((await fetch(`${new URL(url).origin}/p/session/bps_none`)).status).toBe(404)
})
