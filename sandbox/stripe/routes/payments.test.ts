import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('partial refunds add up to the charge and not beyond it', async () => {
  const { stripe, charge, harness } = await paidCharge()
  await stripe.refunds.create({ charge: charge.id, amount: 200, metadata: { ticket: '1' } })
  await expect(stripe.refunds.create({ charge: charge.id, amount: 501 })).rejects.toMatchObject({
    param: 'amount',
  })
  const second = await stripe.refunds.create({ payment_intent: String(charge.payment_intent) })

  expect(second).toMatchObject({ amount: 500, status: 'succeeded', charge: charge.id })
  const refunded = await stripe.charges.retrieve(charge.id)
  expect(refunded).toMatchObject({ amount_refunded: 700, refunded: true })
  expect(refunded.refunds?.data.map(({ amount }) => amount)).toEqual([500, 200])
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: 'charge_already_refunded',
  })
  const events = await stripe.events.list({ type: 'charge.refunded' })
  expect(events.data.map(({ data }) => data.previous_attributes)).toEqual([
    { amount_refunded: 200, refunded: false },
    { amount_refunded: 0 },
  ])
  expect((await harness.eventTypes()).slice(-4)).toEqual([
    'refund.created',
    'charge.refunded',
    'refund.created',
    'charge.refunded',
  ])
})
