import { sql } from 'kysely'
import { Webhook } from 'svix'
import { beforeEach, expect, test } from 'vitest'
import { selectEvents } from '../../schema/inbox/events.ts'
import { eventOf } from '../../tests/support/factories/events.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'

const { database, server } = testProduct()
beforeEach(() => database.owner.deleteFrom('inbox_events').execute())

const stored = () => selectEvents(database.owner).execute()

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
  ['a NUL', 'it contains a NUL character', '"note":"a\\u0000b"'],
  ['half of a surrogate pair', 'half of a surrogate pair', '"note":"a\\udc00"'],
  ['5,000 levels', 'it is nested too deep', `"note":${nested(5000)}`],
  ['a time beyond all dates', 'its time is out of range', '"created":1e16'],
  ['a time that is no whole number of seconds', 'its time is out of range', '"created":1.5e300'],
])(
  'a signed event with %s is kept as it came, answered 200 and visible as failed',
  async (_, reason, field) => {
    const event = eventOf('charge.refunded', { object: 'charge' })
    const payload = `${JSON.stringify(event).slice(0, -1)},${field}}`
    expect(await postStripe(payload)).toBe(200)
    expect(await stored()).toMatchObject([
      {
        id: event.id,
        type: 'charge.refunded',
        state: 'failed',
        reason: expect.stringContaining(reason),
        payload: null,
        raw: Buffer.from(payload),
      },
    ])
  },
)

test('one that is delivered again is kept once', async () => {
  const payload = JSON.stringify({ ...eventOf('charge.refunded', { object: 'charge' }), note: '\0' })
  expect([await postStripe(payload), await postStripe(payload)]).toEqual([200, 200])
  expect(await stored()).toHaveLength(1)
})

test('a body of nothing but levels is answered 200', async () => {
  const event = JSON.stringify({ ...eventOf('charge.refunded', { object: 'charge' }), note: 0 })
  expect(await postStripe(event.replace('"note":0', `"note":${nested(400_000)}`))).toBe(200)
  expect(await stored()).toMatchObject([{ state: 'failed' }])
})

test('an event of Clerk’s is kept in the same way', async () => {
  const event = { object: 'event', type: 'user.updated', data: { id: 'user_1', first_name: 'A\0da' } }
  expect(await postClerk('msg_nul', JSON.stringify(event))).toBe(200)
  expect(await stored()).toMatchObject([{ source: 'clerk', id: 'msg_nul', state: 'failed', payload: null }])
})

test('an event that can be stored is stored as JSON only', async () => {
  await postStripe(JSON.stringify(eventOf('charge.refunded', { object: 'charge' })))
  expect(await stored()).toMatchObject([{ state: 'received', raw: null, object_sync_at: null }])
})

test('an id that is none is refused', async () => {
  const event = { ...eventOf('charge.refunded', { object: 'charge' }), id: 'evt_\0' }
  expect(await postStripe(JSON.stringify(event))).toBe(400)
  expect(await stored()).toEqual([])
})

test('fifty events at the same moment, some twice and some unstorable, are each stored once and answered 200', async () => {
  const good = Array.from({ length: 40 }, () => eventOf('charge.refunded', { object: 'charge' }))
  const bad = ['\0', '\udc00', '\0'].map((note) => ({
    ...eventOf('charge.refunded', { object: 'charge' }),
    note,
  }))
  const sent = [...good, ...bad, ...good.slice(0, 7)]
  // While no insert is possible, the first of them wait in the database and the others behind them, so they
  // go in together.
  const held = await database.owner.startTransaction().execute()
  await sql`LOCK TABLE inbox_events IN EXCLUSIVE MODE`.execute(held)
  const answers = Promise.all(sent.map((event) => postStripe(JSON.stringify(event))))
  await waitUntil(async () => (await waitingInserts()) === 2, 'two batches to wait for the table')
  await held.rollback().execute()
  expect(new Set(await answers)).toEqual(new Set([200]))

  const rows = await stored()
  const idsOf = (state: string) => rows.filter((row) => row.state === state).map(({ id }) => id)
  expect(idsOf('received').sort()).toEqual(good.map(({ id }) => id).sort())
  expect(idsOf('failed').sort()).toEqual(bad.map(({ id }) => id).sort())
  const jobs = await server.deps.producer.queue('stripe-events').getJobs(['waiting'])
  const enqueued = new Set(jobs.flatMap(({ data }) => data.events ?? [data]).map(({ event_id }) => event_id))
  expect(good.filter(({ id }) => !enqueued.has(id))).toEqual([])
})

async function waitingInserts(): Promise<number> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO inbox_events%' AND pid <> pg_backend_pid()`.execute(
    database.owner,
  )
  return rows.length
}
