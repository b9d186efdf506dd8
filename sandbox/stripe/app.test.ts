import { expect, it } from 'vitest'
import { newCheckout, startHarness } from './testing/sandbox.ts'

it('a repeated call with one idempotency key gets the first answer again', async () => {
  const { stripe } = await startHarness()
  const first = await stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'key-1' })
  const again = await stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'key-1' })

  expect(again.id).toBe(first.id)
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect(again.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId)
  expect((await stripe.customers.list()).data).toHaveLength(1)
})

it('one idempotency key with other parameters is an error', async () => {
  const { stripe } = await startHarness()
  await stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'key-1' })
  await expect(
    stripe.customers.create({ email: 'bob@example.com' }, { idempotencyKey: 'key-1' }),
  ).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
})

it('a refused call does not use up its idempotency key', async () => {
  const { stripe } = await startHarness()
  await expect(
    stripe.customers.create({ colour: 'red' } as object, { idempotencyKey: 'key-1' }),
  ).rejects.toThrow('Received unknown parameter: colour')
  await stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'key-1' })
})

it('errors have the form and status of Stripe', async () => {
  const harness = await startHarness()
  const { stripe } = harness
  await expect(stripe.customers.retrieve('cus_none')).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 404,
    code: 'resource_missing',
    param: 'id',
    message: "No such customer: 'cus_none'",
    requestId: expect.stringMatching(/^req_/),
  })
  await expect(newCheckout(harness, { customer: 'cus_none' })).rejects.toMatchObject({
    statusCode: 400,
    code: 'resource_missing',
    param: 'customer',
  })
  await expect(
    stripe.checkout.sessions.create({ mode: 'payment', success_url: 'http://shop.test' }),
  ).rejects.toMatchObject({
    code: 'parameter_missing',
    param: 'line_items',
  })
  await expect(
    newCheckout(harness, { line_items: [{ price: 'price_none', quantity: 1 }] }),
  ).rejects.toMatchObject({
    code: 'resource_missing',
    param: 'line_items[0][price]',
  })
  await expect(newCheckout(harness, { success_url: 'nowhere' })).rejects.toMatchObject({
    code: 'url_invalid',
  })
})

it.each([
  ['no key', {}],
  ['a publishable key', { authorization: 'Bearer pk_test_1' }],
])('a call with %s is refused', async (_case, headers) => {
  const { url } = await startHarness()
  const response = await fetch(`${url}/v1/customers`, { headers })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
})

it('a call in another version of the API is refused rather than answered in the wrong shape', async () => {
  const { stripe } = await startHarness()
  await expect(stripe.customers.list({}, { apiVersion: '2024-06-20' })).rejects.toThrow(
    'speaks 2026-10-28.endive only',
  )
})

it('a misspelt expand is refused before anything is done', async () => {
  const { stripe } = await startHarness()
  await expect(stripe.customers.create({ expand: ['colour'] })).rejects.toThrow('cannot be expanded (colour)')
  expect((await stripe.customers.list()).data).toEqual([])
})

it('metadata is merged key by key, and an update tells what it changed', async () => {
  const { stripe } = await startHarness()
  const { id } = await stripe.customers.create({ metadata: { user: 'u1', plan: 'pro' } })
  const updated = await stripe.customers.update(id, { metadata: { plan: '', seats: '3' } })
  expect(updated.metadata).toEqual({ user: 'u1', seats: '3' })
  const [event] = (await stripe.events.list({ type: 'customer.updated' })).data
  expect(event?.data.previous_attributes).toEqual({ metadata: { plan: 'pro', seats: null } })
  expect(event?.request).toMatchObject({
    id: expect.stringMatching(/^req_/),
    idempotency_key: expect.any(String),
  })
})
