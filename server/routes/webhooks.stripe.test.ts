import { beforeEach, describe, expect, test } from 'vitest'
import { finishEvent } from '../../schema/inbox/events.ts'
import type { Producer } from '../../schema/inbox/queues/producer.ts'
import { stripeEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import { rowsWith } from '../../tests/support/database/rows-with.ts'
import { eventOf, sessionOf } from '../../tests/support/factories/events.ts'
import { producerWith } from '../../tests/support/product/producer-with.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startTestServer, type TestServer } from '../../tests/support/product/test-server.ts'
import { createRateLimits } from '../rate-limits.ts'

const { database, server } = testProduct()
beforeEach(() => database.owner.deleteFrom('inbox_events').execute())

const newEvent = () => eventOf('checkout.session.completed', sessionOf(crypto.randomUUID()))
const stored = () => database.owner.selectFrom('inbox_events').selectAll().execute()
const jobs = async (eventId: string) =>
  (await server.deps.producer.queue('stripe-events').getJobs(['waiting', 'prioritized', 'delayed'])).filter(
    (job) => job.data.event_id === eventId,
  )

function sign(payload: string, options: { secret?: string; timestamp?: number } = {}): string {
  return server.deps.stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? server.deps.settings.stripe_webhook_secrets[0],
    ...(options.timestamp !== undefined && { timestamp: options.timestamp }),
  })
}

async function post(payload: string, signature: string | null = sign(payload), on = server) {
  const response = await fetch(`${on.url}/api/stripe/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature !== null && { 'stripe-signature': signature }),
    },
    body: payload,
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** The server with another queue. */
async function withProducer(changed: Pick<Producer, 'add'>): Promise<TestServer> {
  return startTestServer({
    databaseUrl: database.url,
    settings: { enqueue_limit_ms: 50 },
    deps: { producer: producerWith(server.deps.producer, changed) },
  })
}

describe('a signed event', () => {
  test('a signed event is stored whole, enqueued and answered 200', async () => {
    const event = { ...newEvent(), livemode: false, pending_webhooks: 1 }
    expect(await post(JSON.stringify(event))).toEqual({ status: 200, body: { received: true } })
    expect(await stored()).toMatchObject([
      {
        source: 'stripe',
        id: event.id,
        type: 'checkout.session.completed',
        payload: event,
        occurred_at: new Date(event.created * 1000),
        state: 'received',
      },
    ])
    expect(await jobs(event.id)).toHaveLength(1)
  })

  test('the line of a webhook names event, checkout and session', async () => {
    const intentId = crypto.randomUUID()
    const session = sessionOf(intentId)
    const event = eventOf('checkout.session.completed', session)
    await post(JSON.stringify(event))
    expect(server.logs).toContainEqual(
      expect.objectContaining({
        msg: 'Request',
        route: '/api/stripe/webhook',
        event_id: event.id,
        intent_id: intentId,
        session_id: session.id,
      }),
    )
  })

  test('a signed event that is delivered ten times in series and ten times at once is stored and enqueued once', async () => {
    const event = newEvent()
    const payload = JSON.stringify(event)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(payload)))
    for (let count = 0; count < 10; count++) answers.push(await post(payload))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await stored()).toHaveLength(1)
    expect(await jobs(event.id)).toHaveLength(1)
  })

  test('a signed event with the old or the new secret is believed while both are set, and with no other', async () => {
    const secrets = { old: 'whsec_the_old_one', new: 'whsec_the_new_one' }
    const env = { STRIPE_WEBHOOK_SECRET: `${secrets.old}, ${secrets.new}` }
    const both = await startTestServer({ databaseUrl: database.url, env })
    const statusOf = async (...signedWith: string[]) => {
      const payload = JSON.stringify(newEvent())
      const [first = '', ...rest] = signedWith.map((secret) => sign(payload, { secret }))
      // Stripe sends one header with a signature for each secret that is valid at its side.
      const header = [first, ...rest.map((each) => each.slice(each.indexOf('v1=')))].join(',')
      return (await post(payload, header, both)).status
    }
    const statuses = [
      await statusOf(secrets.old),
      await statusOf(secrets.new),
      await statusOf('whsec_of_another', secrets.new),
      await statusOf('whsec_of_another'),
    ]
    await both.close()
    expect(statuses).toEqual([200, 200, 200, 400])
    expect(await stored()).toHaveLength(3)
  })

  test('a signed event that is finished already is not enqueued again', async () => {
    const added: string[] = []
    const watching = await withProducer({ add: async (_queue, id) => void added.push(id) })
    const event = newEvent()
    const payload = JSON.stringify(event)
    await post(payload, sign(payload), watching)
    await finishEvent(
      database.worker,
      { source: 'stripe', id: event.id },
      { state: 'applied', reason: null, now: new Date() },
    )
    expect(await post(payload, sign(payload), watching)).toMatchObject({ status: 200 })
    await watching.close()
    expect(added).toEqual([event.id])
  })

  test('a signed event of a type that we do not handle is answered 200, and nothing of it is kept', async () => {
    const customer = { object: 'customer', id: 'cus_ada', email: 'ada@tidemark.test' }
    const event = eventOf('customer.created', customer)
    expect(await post(JSON.stringify(event))).toMatchObject({ status: 200 })
    expect(await stored()).toEqual([])
    expect(await rowsWith(database, ['ada@tidemark.test', event.id])).toEqual([])
  })

  test('a signed event is counted, under a fixed name', async () => {
    await post(JSON.stringify(newEvent()))
    await post(JSON.stringify(eventOf('made.up.by_somebody', { object: 'x' })))
    await post(JSON.stringify(eventOf('checkout.session.made_up', { object: 'x' })))
    await post(JSON.stringify(eventOf('constructor', { object: 'x' })))
    const text = await server.deps.metrics.registry.metrics()
    expect(text).toMatch(/webhooks_accepted_total\{source="stripe",type="checkout.session.completed"\} [1-9]/)
    expect(text).toMatch(/webhooks_accepted_total\{source="stripe",type="other"\} [1-9]/)
    expect(text).not.toMatch(/made.up|constructor/)
  })

  test.each(stripeEventTypes)('an event that we handle is counted by its type: %s', async (type) => {
    await post(JSON.stringify(eventOf(type, { object: 'x' })))
    const text = await server.deps.metrics.registry.metrics()
    expect(text).toContain(`webhooks_accepted_total{source="stripe",type="${type}"}`)
  })
})

describe('an event that the queue does not take', () => {
  test('when the queue is unavailable, the event is stored and answered 200, and the failure is counted', async () => {
    const broken = await withProducer({ add: () => Promise.reject(new Error('No queue')) })
    const payload = JSON.stringify(newEvent())
    expect(await post(payload, sign(payload), broken)).toMatchObject({ status: 200 })
    expect(await stored()).toMatchObject([{ state: 'received' }])
    expect(await broken.deps.metrics.registry.metrics()).toContain(
      'tidemark_enqueue_failures_total{queue="stripe-events"} 1',
    )
    await broken.close()
  })

  test('the answer does not wait for a queue that hangs', async () => {
    const hanging = await withProducer({ add: () => new Promise(() => undefined) })
    const payload = JSON.stringify(newEvent())
    expect(await post(payload, sign(payload), hanging)).toMatchObject({ status: 200 })
    expect(await stored()).toHaveLength(1)
    await hanging.close()
  })
})

test('when the database is unavailable Stripe is told to retry', async () => {
  const broken = await startTestServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })
  const payload = JSON.stringify(newEvent())
  const answer = await post(payload, sign(payload), broken)
  await broken.close()
  expect(answer).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
})

describe('nothing is stored of', () => {
  test.each([
    ['a signature with another secret', (payload: string) => sign(payload, { secret: 'whsec_other' })],
    ['a signature of another body', () => sign('{}')],
    [
      'a signature older than five minutes',
      (payload: string) => sign(payload, { timestamp: secondsAgo(301) }),
    ],
    ['a signature that is none', () => 'nonsense'],
    ['no signature', () => null],
  ])('%s', async (_, signatureOf) => {
    const payload = JSON.stringify(newEvent())
    expect(await post(payload, signatureOf(payload))).toMatchObject({
      status: 400,
      body: { code: 'invalid_signature' },
    })
    expect(await stored()).toEqual([])
  })

  test('a body over one mebibyte', async () => {
    const payload = JSON.stringify({ ...newEvent(), padding: 'x'.repeat(1024 * 1024) })
    expect(await post(payload)).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
    expect(await stored()).toEqual([])
  })

  test.each([
    '{}',
    'null',
    '[]',
    '"evt_1"',
    'not json',
    '',
    JSON.stringify({ ...newEvent(), id: 'cs_1' }),
    JSON.stringify({ ...newEvent(), object: 'session' }),
    JSON.stringify({ ...newEvent(), created: 'yesterday' }),
    JSON.stringify({ ...newEvent(), data: null }),
    JSON.stringify({ ...newEvent(), type: '' }),
  ])('signed JSON that is not an event is refused: %s', async (payload) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { code: 'invalid_event' } })
    expect(await stored()).toEqual([])
  })
})

function secondsAgo(seconds: number): number {
  return Math.floor(Date.now() / 1000) - seconds
}

test('a network that keeps sending bad signatures is refused before its events are read, and others are not', async () => {
  const noisy = await startTestServer({
    databaseUrl: database.url,
    settings: { trusted_proxies: ['127.0.0.0/8'] },
    deps: { limits: createRateLimits({ perMinute: { auth: 3 } }) },
  })
  const send = async (from: string, payload: string, signature: string) => {
    const headers = { 'x-forwarded-for': from, 'stripe-signature': signature }
    const answer = await fetch(`${noisy.url}/api/stripe/webhook`, { method: 'POST', headers, body: payload })
    return answer.status
  }
  const payload = JSON.stringify(newEvent())
  const forged = []
  for (let count = 0; count < 5; count++) forged.push(await send('198.51.100.7', payload, 't=1,v1=00'))
  expect(forged).toEqual([400, 400, 400, 400, 429])
  expect(await send('198.51.100.7', payload, sign(payload))).toBe(429)
  expect(await send('198.51.100.8', payload, sign(payload))).toBe(200)
  await noisy.close()
})
