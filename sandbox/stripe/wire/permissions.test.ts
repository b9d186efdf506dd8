import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startHarness } from '../testing/sandbox.ts'

async function startRestricted(permissions: Record<string, 'read' | 'write'>) {
  const harness = await startHarness()
  await harness.knob('keys', { key: 'rk_test_one', permissions })
  const { hostname: host, port } = new URL(harness.url)
  return { harness, restricted: new Stripe('rk_test_one', { host, port, protocol: 'http' }) }
}

it('a restricted key reads and writes what it is allowed, and nothing else', async () => {
  const { harness, restricted } = await startRestricted({ customers: 'write', charges: 'read' })
  const { id } = await restricted.customers.create({ email: 'ada@example.com' })
  expect((await restricted.customers.list()).data).toMatchObject([{ id }])
  expect((await restricted.charges.list()).data).toEqual([])
  await expect(restricted.charges.update('ch_none', {})).rejects.toMatchObject({
    type: 'StripePermissionError',
    statusCode: 403,
    message: expect.stringContaining("Having the 'rak_charge_write' permission"),
  })
  await expect(restricted.checkout.sessions.list()).rejects.toMatchObject({
    message: expect.stringContaining('rak_checkout_session_read'),
  })
  expect((await harness.stripe.checkout.sessions.list()).data).toEqual([])
})

it('a restricted key is refused before anything is looked for', async () => {
  const { restricted } = await startRestricted({ invoices: 'read' })
  await expect(restricted.invoices.retrieve('in_none')).rejects.toMatchObject({ code: 'resource_missing' })
  await expect(restricted.invoices.update('in_none', {})).rejects.toMatchObject({ statusCode: 403 })
})
