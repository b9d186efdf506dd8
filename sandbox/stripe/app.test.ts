import { describe, expect, it } from 'vitest'
import { type Harness, newCheckout, startHarness } from './testing/sandbox.ts'

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

it('a call whose answer is lost is done once when the SDK repeats it', async () => {
  const { stripe, knob } = await startHarness()
  await knob('faults', { drop_after: true, count: 1, path_prefix: '/v1/customers', method: 'POST' })

  const customer = await stripe.customers.create({ email: 'ada@example.com' })

  expect((await stripe.customers.list()).data.map(({ id }) => id)).toEqual([customer.id])
})

it('an answer that is held back is as old as its call, and later calls are answered before it', async () => {
  const { stripe, knob, url } = await startHarness()
  const { id } = await stripe.customers.create({ name: 'Ada' })
  await knob('faults', { hold: true, count: 1, path_prefix: '/v1/customers', method: 'GET' })
  const arrived: string[] = []
  const held = stripe.customers.retrieve(id).then((customer) => {
    if (!customer.deleted) arrived.push(`${customer.name}`)
  })
  await expect.poll(async () => (await fetch(`${url}/_sandbox`)).json()).toMatchObject({ held_answers: 1 })
  await stripe.customers.update(id, { name: 'Bea' })
  expect(await stripe.customers.retrieve(id)).toMatchObject({ name: 'Bea' })
  expect(arrived).toEqual([])
  expect(await knob('faults/release')).toMatchObject({ body: { released: 1 } })
  await held
  expect(arrived).toEqual(['Ada'])
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

it('a reset forgets everything', async () => {
  const harness = await startHarness()
  await harness.knob('clock/advance', { seconds: 86_400 })
  await harness.knob('faults', { status: 500, path_prefix: '/v1/prices' })
  const { id } = await newCheckout(harness)
  await harness.knob('reset')
  await expect(harness.stripe.checkout.sessions.retrieve(id)).rejects.toMatchObject({ statusCode: 404 })
  expect(await harness.eventTypes()).toEqual([])
  const index = await (await fetch(`${harness.url}/_sandbox`)).json()
  expect(index).toMatchObject({ faults: [], delivery_rules: [], deliveries: { pending: 0 } })
  expect((await harness.stripe.customers.create({})).created).toBeLessThan(Date.now() / 1000 + 60)
})

describe('the clock', () => {
  const ask = async ({ url }: Pick<Harness, 'url'>, query = '') =>
    (await (await fetch(`${url}/_sandbox/clock${query}`)).json()) as { now: number; offset_ms: number }

  it('the clock says how far it is ahead', async () => {
    const harness = await startHarness()
    expect(await ask(harness)).toMatchObject({ offset_ms: 0 })
    await harness.knob('clock/advance', { days: 1.5 })
    const { now, offset_ms } = await ask(harness)
    expect(Math.round(offset_ms / 1000)).toBe(1.5 * 86_400)
    expect(now).toBeGreaterThan(Date.now() / 1000 + 1.4 * 86_400)
  })

  it('a clock that begins in the past is moved to the real time, and not beyond it', async () => {
    const harness = await startHarness({ beginsDaysAgo: 92 })
    expect(await ask(harness)).toMatchObject({ offset_ms: -92 * 86_400_000 })
    const customer = await harness.stripe.customers.create({})
    expect(Math.round((Date.now() / 1000 - customer.created) / 86_400)).toBe(92)
    await harness.knob('clock/advance', { to: 'real_time' })
    expect(await ask(harness)).toMatchObject({ offset_ms: 0 })
    await harness.knob('clock/advance', { days: 1 })
    const ahead = await ask(harness)
    await harness.knob('clock/advance', { to: 'real_time' })
    expect(await ask(harness)).toMatchObject({ offset_ms: ahead.offset_ms })
  })

  it('the clock answers those who follow it when it moves, and when it is reset', async () => {
    const harness = await startHarness()
    const moved = ask(harness, '?after=0')
    await harness.knob('clock/advance', { seconds: 60 })
    const { offset_ms } = await moved
    expect(Math.round(offset_ms / 1000)).toBe(60)
    const reset = ask(harness, `?after=${offset_ms}`)
    await harness.knob('reset')
    expect(await reset).toMatchObject({ offset_ms: 0 })
  })
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

it('a lookup key moves from one price to another only when asked to', async () => {
  const { stripe } = await startHarness()
  const product = await stripe.products.create({ name: 'Pro' })
  const input = { product: product.id, currency: 'eur', unit_amount: 2000, lookup_key: 'pro_monthly' }
  const first = await stripe.prices.create(input)
  await expect(stripe.prices.create(input)).rejects.toThrow('already uses that lookup key')
  const second = await stripe.prices.create({ ...input, transfer_lookup_key: true })
  const found = await stripe.prices.list({ lookup_keys: ['pro_monthly'] })
  expect(found.data.map(({ id }) => id)).toEqual([second.id])
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull()
})
