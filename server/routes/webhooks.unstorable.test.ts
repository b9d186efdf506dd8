import { Webhook } from 'svix'
import { beforeEach, expect, test } from 'vitest'
import { eventOf } from '../../tests/support/factories/events.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server } = testProduct()
beforeEach(() => database.owner.deleteFrom('inbox_events').execute())

const stored = () => database.owner.selectFrom('inbox_events').selectAll().execute()

async function postStripe(payload: string): Promise<number> {
  const signature = server.deps.stripe.webhooks.generateTestHeaderString({
    payload,
    secret: server.deps.settings.stripe_webhook_secrets[0],
  })
  return post('/api/stripe/webhook', payload, { 'stripe-signature': signature })
}

async function postClerk(id: string, payload: string): Promise<number> {
  const at = new Date()
  return post('/api/clerk/webhook', payload, {
    'svix-id': id,
    'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
    'svix-signature': new Webhook(server.deps.settings.clerk_webhook_secrets[0]).sign(id, at, payload),
  })
}

async function post(path: string, body: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(`${server.url}${path}`, { method: 'POST', headers, body })).status
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['a NUL', '"note":"a\\u0000b"'],
  ['half of a surrogate pair', '"note":"a\\udc00"'],
  ['5,000 levels', `"note":${nested(5000)}`],
  ['a time beyond all dates', '"created":1e16'],
  ['a time that is no whole number of seconds', '"created":1.5e300'],
])(
  'a signed event with %s is answered 200 and waits in the inbox with the name of its subject',
  async (_, field) => {
    const event = eventOf('charge.refunded', { object: 'charge', id: 'ch_1' } as { object: string })
    const payload = `${JSON.stringify(event).slice(0, -1)},${field}}`
    expect(await postStripe(payload)).toBe(200)
    expect(await stored()).toMatchObject([
      {
        id: event.id,
        type: 'charge.refunded',
        state: 'received',
        payload: { id: event.id, data: { object: { id: 'ch_1' } } },
      },
    ])
  },
)

test('a body of nothing but levels is answered 200', async () => {
  const event = JSON.stringify({ ...eventOf('charge.refunded', { object: 'charge' }), note: 0 })
  expect(await postStripe(event.replace('"note":0', `"note":${nested(400_000)}`))).toBe(200)
  expect(await stored()).toMatchObject([{ state: 'received' }])
})

test('an event of Clerk’s is stored in the same way', async () => {
  const event = { object: 'event', type: 'user.updated', data: { id: 'user_1', first_name: 'A\0da' } }
  expect(await postClerk('msg_nul', JSON.stringify(event))).toBe(200)
  expect(await stored()).toMatchObject([
    { source: 'clerk', id: 'msg_nul', state: 'received', payload: { data: { first_name: 'A\uFFFDda' } } },
  ])
})

test('an id that is none is refused', async () => {
  const event = { ...eventOf('charge.refunded', { object: 'charge' }), id: 'evt_\0' }
  expect(await postStripe(JSON.stringify(event))).toBe(400)
  expect(await stored()).toEqual([])
})
