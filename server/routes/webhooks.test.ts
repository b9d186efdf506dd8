import { randomUUID } from 'node:crypto'
import { Webhook } from 'svix'
import { beforeEach, describe, expect, test } from 'vitest'
import { type EventSource, finishEvent } from '../../schema/inbox/events.ts'
import type { Producer } from '../../schema/inbox/queues/producer.ts'
import { eventQueues } from '../../schema/inbox/queues/queues.ts'
import { rowsWith } from '../../tests/support/database/rows-with.ts'
import { eventOf, sessionOf } from '../../tests/support/factories/events.ts'
import { producerWith } from '../../tests/support/product/producer-with.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { createRateLimits } from '../rate-limits.ts'

const { database, server, startServer } = testProduct()
beforeEach(() => database.owner.deleteFrom('inbox_events').execute())

interface Delivery {
  readonly id: string
  readonly payload: string
}
interface Signature {
  readonly secret?: string
  readonly secondsAgo?: number
}
interface Sender {
  readonly source: EventSource
  readonly type: string
  readonly otherTypes: readonly string[]
  readonly secretsVariable: string
  deliver(fields?: object): Delivery
  sign(delivery: Delivery, signature?: Signature): Record<string, string>
}

const secondsNow = () => Math.floor(Date.now() / 1000)
const secretOf = (name: string) => `whsec_${Buffer.from(name).toString('base64')}`

const stripe: Sender = {
  source: 'stripe',
  type: 'checkout.session.completed',
  otherTypes: ['made.up.by_somebody', 'checkout.session.made_up', 'constructor'],
  secretsVariable: 'STRIPE_WEBHOOK_SECRET',
  deliver(fields = {}) {
    const event = { ...eventOf('checkout.session.completed', sessionOf(randomUUID())), ...fields }
    return { id: event.id, payload: JSON.stringify(event) }
  },
  sign: ({ payload }, { secret, secondsAgo = 0 } = {}) => ({
    'stripe-signature': server.deps.stripe.webhooks.generateTestHeaderString({
      payload,
      secret: secret ?? server.deps.settings.stripe_webhook_secrets[0],
      timestamp: secondsNow() - secondsAgo,
    }),
  }),
}
const clerk: Sender = {
  source: 'clerk',
  type: 'user.updated',
  otherTypes: ['user.made_up', 'toString'],
  secretsVariable: 'CLERK_WEBHOOK_SECRET',
  deliver(fields = {}) {
    const data = { id: 'user_1' }
    const event = { object: 'event', type: 'user.updated', data, timestamp: 1_790_000_000_123, ...fields }
    return { id: `msg_${randomUUID()}`, payload: JSON.stringify(event) }
  },
  sign({ id, payload }, { secret, secondsAgo = 0 } = {}) {
    const at = new Date((secondsNow() - secondsAgo) * 1000)
    const signer = new Webhook(secret ?? server.deps.settings.clerk_webhook_secrets[0])
    return {
      'svix-id': id,
      'svix-timestamp': String(at.getTime() / 1000),
      'svix-signature': signer.sign(id, at, payload),
    }
  },
}

const stored = () => database.owner.selectFrom('inbox_events').selectAll().execute()
const metricsOf = (on = server) => on.deps.metrics.registry.metrics()

async function post(
  sender: Sender,
  delivery: Delivery,
  headers: Record<string, string> = sender.sign(delivery),
  on = server,
) {
  const response = await fetch(`${on.url}/api/${sender.source}/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: delivery.payload,
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** The server with another queue. */
const withProducer = (changed: Pick<Producer, 'add'>) =>
  startServer({
    settings: { enqueue_limit_ms: 50 },
    deps: { producer: producerWith(server.deps.producer, changed) },
  })

describe.each([
  ['Stripe', stripe],
  ['Clerk', clerk],
])('an event of %s', (_, sender) => {
  const { source, type } = sender
  const jobsOf = async (id: string) =>
    (
      await server.deps.producer.queue(eventQueues[source]).getJobs(['waiting', 'prioritized', 'delayed'])
    ).filter(({ data }) => data.event_id === id)

  test('an event that is signed is stored whole, enqueued, answered 200 and counted by its type', async () => {
    const delivery = sender.deliver({ livemode: false, more: 1 })
    expect(await post(sender, delivery)).toEqual({ status: 200, body: { received: true } })
    const payload = JSON.parse(delivery.payload)
    const occurred_at = new Date(payload.timestamp ?? payload.created * 1000)
    expect(await stored()).toMatchObject([
      { source, id: delivery.id, type, payload, occurred_at, state: 'received' },
    ])
    expect(await jobsOf(delivery.id)).toHaveLength(1)
    expect(await metricsOf()).toContain(`webhooks_accepted_total{source="${source}",type="${type}"}`)
  })

  test('an event that is delivered ten times in series and ten times at once is stored and enqueued once', async () => {
    const delivery = sender.deliver()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(sender, delivery)))
    for (let count = 0; count < 10; count++) answers.push(await post(sender, delivery))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await stored()).toHaveLength(1)
    expect(await jobsOf(delivery.id)).toHaveLength(1)
  })

  test('an event with the old or the new secret is believed while both are set, and with no other', async () => {
    const [old, next, another] = ['the old one', 'the new one', 'of another'].map(secretOf)
    await using both = await startServer({ env: { [sender.secretsVariable]: `${old}, ${next}` } })
    const statuses = []
    for (const secret of [old, next, another]) {
      const delivery = sender.deliver()
      const headers = sender.sign(delivery, { secret: secret ?? '' })
      statuses.push((await post(sender, delivery, headers, both)).status)
    }
    expect(statuses).toEqual([200, 200, 400])
    expect(await stored()).toHaveLength(2)
  })

  test('an event of a type that we do not handle is answered 200 and counted as another, and nothing of it is kept', async () => {
    const email = `${randomUUID()}@tidemark.test`
    for (const other of sender.otherTypes) {
      const delivery = sender.deliver({ type: other, email })
      expect(await post(sender, delivery)).toMatchObject({ status: 200 })
    }
    expect(await rowsWith(database, [email])).toEqual([])
    const text = await metricsOf()
    expect(text).toMatch(new RegExp(`webhooks_accepted_total\\{source="${source}",type="other"\\} [1-9]`))
    expect(text).not.toMatch(/made.up|constructor|toString/)
  })

  test.each<[string, (delivery: Delivery) => Record<string, string>]>([
    ['a signature with another secret', (delivery) => sender.sign(delivery, { secret: secretOf('another') })],
    ['a signature of another body', (delivery) => sender.sign({ ...delivery, payload: '{}' })],
    ['a signature older than five minutes', (delivery) => sender.sign(delivery, { secondsAgo: 301 })],
    ['a signature that is none', () => ({ 'stripe-signature': 'nonsense', 'svix-signature': 'nonsense' })],
    ['no signature', () => ({})],
  ])('an event with %s is refused, and nothing of it is stored', async (_, headersOf) => {
    const delivery = sender.deliver()
    expect(await post(sender, delivery, headersOf(delivery))).toMatchObject({
      status: 400,
      body: { code: 'invalid_signature' },
    })
    expect(await stored()).toEqual([])
  })

  test('an event over one mebibyte is refused', async () => {
    const delivery = sender.deliver({ padding: 'x'.repeat(1024 * 1024) })
    expect(await post(sender, delivery)).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
    expect(await stored()).toEqual([])
  })

  test.each(['{}', '[]', '"evt_1"', { object: 'session' }, { data: null }, { data: 1 }])(
    'signed JSON that is not an event is refused: %j',
    async (wrong) => {
      const delivery = typeof wrong === 'string' ? { id: 'msg_1', payload: wrong } : sender.deliver(wrong)
      expect(await post(sender, delivery)).toMatchObject({ status: 400, body: { code: 'invalid_event' } })
      expect(await stored()).toEqual([])
    },
  )

  test('an event with a NUL is answered 200, and waits in the inbox without it', async () => {
    const data = { id: 'user_1', object: { object: 'charge' }, name: 'A\0da' }
    const delivery = sender.deliver({ data })
    expect((await post(sender, delivery)).status).toBe(200)
    const payload = { data: { name: 'A\uFFFDda' } }
    expect(await stored()).toMatchObject([{ source, id: delivery.id, state: 'received', payload }])
  })
})

test.each(['not json', '', 'null', { id: 'cs_1' }, { id: 'evt_\0' }, { created: 'yesterday' }, { type: '' }])(
  'a body that is no event of Stripe’s is refused: %j',
  async (wrong) => {
    const delivery = typeof wrong === 'string' ? { id: '', payload: wrong } : stripe.deliver(wrong)
    expect(await post(stripe, delivery)).toMatchObject({ status: 400, body: { code: 'invalid_event' } })
    expect(await stored()).toEqual([])
  },
)

test('one of several signatures of Stripe’s is enough', async () => {
  const delivery = stripe.deliver()
  const [first, second] = [{ secret: secretOf('of another') }, {}].map(
    (signature) => stripe.sign(delivery, signature)['stripe-signature'] ?? '',
  )
  // Stripe sends one header with a signature for each secret that is valid at its side.
  const both = `${first},${second?.slice(second.indexOf('v1='))}`
  expect(await post(stripe, delivery, { 'stripe-signature': both })).toMatchObject({ status: 200 })
})

test('an event of Clerk’s under another id than was signed is refused', async () => {
  const delivery = clerk.deliver()
  const headers = { ...clerk.sign(delivery), 'svix-id': 'msg_other' }
  expect(await post(clerk, delivery, headers)).toMatchObject({
    status: 400,
    body: { code: 'invalid_signature' },
  })
  expect(await stored()).toEqual([])
})

test('an event of Clerk’s without a time of its own gets the time of sending', async () => {
  const delivery = clerk.deliver({ timestamp: undefined })
  const headers = clerk.sign(delivery)
  await post(clerk, delivery, headers)
  const occurred_at = new Date(Number(headers['svix-timestamp']) * 1000)
  expect(await stored()).toMatchObject([{ occurred_at }])
})

test('the line of a webhook names event, checkout and session', async () => {
  const intent_id = randomUUID()
  const object = sessionOf(intent_id)
  const delivery = stripe.deliver({ data: { object } })
  await post(stripe, delivery)
  const named = { event_id: delivery.id, intent_id, session_id: object.id }
  expect(server.logs).toContainEqual(
    expect.objectContaining({ msg: 'Request', route: '/api/stripe/webhook', ...named }),
  )
})

test('an event that is finished already is not enqueued again', async () => {
  const added: string[] = []
  await using watching = await withProducer({ add: async (_queue, id) => void added.push(id) })
  const delivery = stripe.deliver()
  const { id } = delivery
  const deliver = () => post(stripe, delivery, stripe.sign(delivery), watching)
  await deliver()
  const done = { state: 'applied', reason: null, now: new Date() } as const
  await finishEvent(database.worker, { source: 'stripe', id }, done)
  expect(await deliver()).toMatchObject({ status: 200 })
  expect(added).toEqual([id])
})

test.each<[string, Producer['add'], number]>([
  ['is unavailable, which is counted', () => Promise.reject(new Error('No queue')), 1],
  ['hangs', () => new Promise(() => undefined), 0],
])('an event is stored and answered 200 although the queue %s', async (_, add, failures) => {
  await using broken = await withProducer({ add })
  const delivery = stripe.deliver()
  expect(await post(stripe, delivery, stripe.sign(delivery), broken)).toMatchObject({ status: 200 })
  expect(await stored()).toMatchObject([{ state: 'received' }])
  if (failures > 0) {
    const counted = `tidemark_enqueue_failures_total{queue="stripe-events"} ${failures}`
    expect(await metricsOf(broken)).toContain(counted)
  }
})

test('when the database is unavailable Stripe is told to retry', async () => {
  await using broken = await startServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })
  const delivery = stripe.deliver()
  const answer = await post(stripe, delivery, stripe.sign(delivery), broken)
  expect(answer).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
})

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['half of a surrogate pair', '"note":"a\\udc00"'],
  ['5,000 levels', `"note":${nested(5000)}`],
  ['400,000 levels', `"note":${nested(400_000)}`],
  ['a time beyond all dates', '"created":1e16'],
  ['a time that is no whole number of seconds', '"created":1.5e300'],
])('an event of Stripe’s with %s is answered 200, and waits in the inbox', async (_, field) => {
  const { id, payload } = stripe.deliver()
  const delivery = { id, payload: `${payload.slice(0, -1)},${field}}` }
  expect((await post(stripe, delivery)).status).toBe(200)
  expect(await stored()).toMatchObject([{ id, state: 'received' }])
})

test('a network that keeps sending bad signatures is refused before its events are read, and others are not', async () => {
  await using noisy = await startServer({
    settings: { trusted_proxies: ['127.0.0.0/8'] },
    deps: { limits: createRateLimits({ perMinute: { auth: 3 } }) },
  })
  const delivery = stripe.deliver()
  const send = async (from: string, headers = stripe.sign(delivery)) =>
    (await post(stripe, delivery, { 'x-forwarded-for': from, ...headers }, noisy)).status
  const forged = []
  for (let count = 0; count < 5; count++)
    forged.push(await send('198.51.100.7', { 'stripe-signature': 't=1,v1=00' }))
  expect(forged).toEqual([400, 400, 400, 400, 429])
  expect(await send('198.51.100.7')).toBe(429)
  expect(await send('198.51.100.8')).toBe(200)
})
