import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('the balance has a payment with its fee, what was refunded of it, and what disputes took and gave back, newest first', async () => {
  const { stripe, charge, harness } = await paidCharge()
  const refund = await stripe.refunds.create({ charge: charge.id, amount: 100 })
  await harness.knob(`charges/${charge.id}/dispute`)
  const [dispute] = (await stripe.disputes.list()).data
  await harness.knob(`disputes/${dispute?.id}/close`, { outcome: 'won' })

  const { data } = await stripe.balanceTransactions.list({ expand: ['data.source'] })

  // 1.5 % and 0.25.
  const fee = Math.round(charge.amount * 0.015) + 25
  expect(data.find(({ type }) => type === 'charge')).toMatchObject({
    id: charge.balance_transaction,
    amount: 700,
    fee,
    net: 700 - fee,
    reporting_category: 'charge',
    source: { object: 'charge', id: charge.id },
  })
  const moved = data.map(({ reporting_category, amount }) => [reporting_category, amount])
  expect(moved.sort()).toEqual([
    ['charge', 700],
    ['dispute', -600],
    ['dispute_reversal', 600],
    ['refund', -100],
  ])
  const created = data.map((one) => one.created)
  expect(created).toEqual(created.toSorted((a, b) => b - a))
  expect(data).toContainEqual(expect.objectContaining({ id: refund.balance_transaction, amount: -100 }))
  const [first, second] = data
  const after = await stripe.balanceTransactions.list({ limit: 1, starting_after: first?.id ?? '' })
  expect(after).toMatchObject({ has_more: true, data: [{ id: second?.id }] })
  expect((await stripe.balanceTransactions.list({ created: { gt: created[0] ?? 0 } })).data).toEqual([])
})

it('a payment that a bank has not let through yet is not in the balance', async () => {
  const { stripe, harness } = await paidCharge()
  const before = (await stripe.balanceTransactions.list()).data.length
  const customer = await stripe.customers.create({ email: 'slow@tidemark.test' })
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    line_items: [
      { quantity: 1, price_data: { currency: 'eur', unit_amount: 900, product_data: { name: 'Credits' } } },
    ],
    success_url: 'http://localhost:3000/x',
  })
  await harness.pay(session.id, { method: 'delayed' })
  expect((await stripe.balanceTransactions.list()).data).toHaveLength(before)
  await harness.knob(`sessions/${session.id}/settle`, { outcome: 'succeeded' })
  expect((await stripe.balanceTransactions.list({ type: 'payment' })).data).toMatchObject([
    { amount: 900, reporting_category: 'charge' },
  ])
})
