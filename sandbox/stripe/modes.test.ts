import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startHarness } from './testing/sandbox.ts'

/** The same sandbox as two integrations see it: one with a test key, one with a live key. */
async function startModes() {
  const harness = await startHarness()
  const live = new Stripe('sk_live_sandbox', {
    host: 'localhost',
    port: harness.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return { harness, test: harness.stripe, live }
}

it('a missing object that is there in the other mode is refused in Stripe’s words', async () => {
  const { test, live } = await startModes()
  const { id } = await test.customers.create({})
  await expect(live.customers.retrieve(id)).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 404,
    code: 'resource_missing',
    message: `No such customer: '${id}'; a similar object exists in test mode, but a live mode key was used to make this request.`,
  })
  await expect(live.billingPortal.sessions.create({ customer: id })).rejects.toMatchObject({
    statusCode: 400,
    param: 'customer',
    message: expect.stringContaining('similar'),
  })
  const theirs = await live.customers.create({})
  await expect(test.customers.retrieve(theirs.id)).rejects.toThrow(
    'a similar object exists in live mode, but a test mode key was used',
  )
  await expect(test.customers.retrieve('cus_none')).rejects.toThrow(/^No such customer: 'cus_none'$/)
})
