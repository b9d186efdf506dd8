import { randomUUID } from 'node:crypto'
import { Webhook } from 'svix'
import { beforeEach, describe, expect, test } from 'vitest'
import { clerkEventTypes } from '../../schema/vendors/clerk/event-types.ts'
import { findFreePort } from '../../scripts/processes/ports.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { startSandbox } from '../../tests/support/services/sandbox.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'

const { database, server } = testProduct()
beforeEach(() => database.owner.deleteFrom('inbox_events').execute())

const event = { object: 'event', type: 'user.updated', data: { id: 'user_1' }, timestamp: 1_790_000_000_123 }
const stored = () => database.owner.selectFrom('inbox_events').selectAll().execute()

function signed(payload: string, options: { id?: string; at?: Date; secret?: string } = {}) {
  const id = options.id ?? `msg_${randomUUID()}`
  const at = options.at ?? new Date()
  const signature = new Webhook(options.secret ?? server.deps.settings.clerk_webhook_secrets[0]).sign(
    id,
    at,
    payload,
  )
  return {
    'svix-id': id,
    'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
    'svix-signature': signature,
  }
}

async function post(payload: string, headers: Record<string, string> = signed(payload), on = server) {
  const response = await fetch(`${on.url}/api/clerk/webhook`, { method: 'POST', headers, body: payload })
  return { status: response.status, body: await response.json() }
}

describe('an event signed by Clerk', () => {
  test('an event signed by Clerk is stored under its message’s id and enqueued', async () => {
    const payload = JSON.stringify(event)
    expect(await post(payload, signed(payload, { id: 'msg_1' }))).toEqual({
      status: 200,
      body: { received: true },
    })
    expect(await stored()).toMatchObject([
      {
        source: 'clerk',
        id: 'msg_1',
        type: 'user.updated',
        payload: event,
        occurred_at: new Date(event.timestamp),
        state: 'received',
      },
    ])
    const jobs = await server.deps.producer.queue('clerk-events').getJobs(['waiting'])
    expect(jobs.map((job) => job.data).filter(({ event_id }) => event_id === 'msg_1')).toHaveLength(1)
  })

  test.each(clerkEventTypes)('an event that we handle is counted by its type: %s', async (type) => {
    await post(JSON.stringify({ ...event, type }))
    const text = await server.deps.metrics.registry.metrics()
    expect(text).toContain(`webhooks_accepted_total{source="clerk",type="${type}"}`)
  })

  test('an event signed by Clerk that we do not handle is counted under a fixed name', async () => {
    for (const type of ['user.made_up', 'toString']) await post(JSON.stringify({ ...event, type }))
    const text = await server.deps.metrics.registry.metrics()
    expect(text).toContain('webhooks_accepted_total{source="clerk",type="other"}')
    expect(text).not.toMatch(/made_up|toString/)
  })

  test('an event signed by Clerk that is delivered ten times at once is stored once', async () => {
    const payload = JSON.stringify(event)
    const headers = signed(payload)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(payload, headers)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await stored()).toHaveLength(1)
  })

  test('an event signed by Clerk without a time of its own gets the time of sending', async () => {
    const payload = JSON.stringify({ ...event, timestamp: undefined })
    const at = new Date(Math.floor(Date.now() / 1000) * 1000)
    await post(payload, signed(payload, { at }))
    expect(await stored()).toMatchObject([{ occurred_at: at }])
  })

  test('an event signed by Clerk from the sign-in sandbox arrives when a user signs up', async () => {
    const port = await findFreePort()
    const clerk = await startSandbox('clerk', { serverPort: port })
    const receiver = await startTestServer({ databaseUrl: database.url, clerk, port })
    const { user_id } = await signUp(clerk)
    const created = await waitUntil(
      async () =>
        (await stored()).find(
          ({ type, payload }) =>
            type === 'user.created' && (payload as { data: { id: string } }).data.id === user_id,
        ),
      'the event of the sign-up',
    )
    await Promise.all([receiver.close(), clerk.stop()])
    expect(created).toMatchObject({ source: 'clerk', state: 'received' })
  })
})

test('an event with the old or the new secret is believed while both are set, and with no other', async () => {
  const secretOf = (name: string) => `whsec_${Buffer.from(name).toString('base64')}`
  const env = { CLERK_WEBHOOK_SECRET: `${secretOf('the old one')},${secretOf('the new one')}` }
  const both = await startTestServer({ databaseUrl: database.url, env })
  const statuses = []
  for (const name of ['the old one', 'the new one', 'of another']) {
    const payload = JSON.stringify(event)
    statuses.push((await post(payload, signed(payload, { secret: secretOf(name) }), both)).status)
  }
  await both.close()
  expect(statuses).toEqual([200, 200, 400])
  expect(await stored()).toHaveLength(2)
})

describe('nothing is stored of', () => {
  const payload = JSON.stringify(event)
  const otherSecret = `whsec_${Buffer.from('another-secret').toString('base64')}`
  test.each([
    ['a signature with another secret', () => signed(payload, { secret: otherSecret })],
    ['a signature of another body', () => signed('{}')],
    ['an old signature', () => signed(payload, { at: new Date(Date.now() - 301_000) })],
    ['another id than was signed', () => ({ ...signed(payload), 'svix-id': 'msg_other' })],
    ['no signature', () => ({})],
  ])('%s', async (_, headers) => {
    expect(await post(payload, headers())).toMatchObject({ status: 400, body: { code: 'invalid_signature' } })
    expect(await stored()).toEqual([])
  })

  test('a body over one mebibyte', async () => {
    expect(await post('x'.repeat(1024 * 1024 + 1))).toMatchObject({ status: 413 })
    expect(await stored()).toEqual([])
  })

  test.each([
    '{}',
    '[]',
    JSON.stringify({ ...event, object: 'thing' }),
    JSON.stringify({ ...event, data: 1 }),
  ])('signed JSON that is not an event is refused: %s', async (text) => {
    expect(await post(text)).toMatchObject({ status: 400, body: { code: 'invalid_event' } })
    expect(await stored()).toEqual([])
  })
})
