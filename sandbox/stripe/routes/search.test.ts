import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

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
