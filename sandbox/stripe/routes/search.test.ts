import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('a search finds charges by card, amount and time, a minute after they were made', async () => {
  const { stripe, charge, harness } = await paidCharge()
  const query = `payment_method_details.card.last4:"4242" AND amount:${charge.amount} AND created>=${charge.created}`
  expect((await stripe.charges.search({ query })).data).toEqual([])
  await harness.knob('clock/advance', { seconds: 61 })
  expect((await stripe.charges.search({ query })).data.map(({ id }) => id)).toEqual([charge.id])
  expect((await stripe.charges.search({ query: `${query} AND amount<1` })).data).toEqual([])
})

it('a search by a field that Stripe does not search, or by no query, is refused', async () => {
  const { stripe } = await paidCharge()
  await expect(stripe.charges.search({ query: 'description:"credits"' })).rejects.toMatchObject({
    statusCode: 400,
    param: 'query',
    message: expect.stringContaining('unsupported search field'),
  })
  await expect(stripe.charges.search({ query: 'amount=100' })).rejects.toMatchObject({ statusCode: 400 })
  await expect(stripe.invoices.search({ query: 'number' })).rejects.toMatchObject({ statusCode: 400 })
})
