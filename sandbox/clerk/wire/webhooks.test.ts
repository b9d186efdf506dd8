import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClerkClient } from '@clerk/backend'
import { afterEach, expect, test } from 'vitest'
import type { Sandbox } from '../../kit/serve.ts'
import { seeds } from '../seed.ts'
import { defaultSettings, type Settings } from '../settings.ts'
import { startClerkSandbox } from '../start.ts'
import { type Received, startReceiver } from '../testing/receiver.ts'
import { withOrganizations } from '../testing/sandbox.ts'

const secret = defaultSettings.webhookSecret
const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close()
})

async function start({ answer, ...settings }: Partial<Settings> & { answer?: Answer } = {}) {
  const receiver = await startReceiver({ secret, ...(answer ? { answer } : {}) })
  open.push(receiver)
  const sandbox = await startClerkSandbox({
    port: 0,
    stateFile: null,
    webhookUrl: receiver.url,
    instance: withOrganizations,
    ...settings,
  })
  open.push(sandbox)
  return { receiver, sandbox, clerk: backend(sandbox) }
}

function backend(sandbox: Sandbox) {
  return createClerkClient({ secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })
}

/** Three people and an organization: see `seed`. */
const seeded = [
  'user.created',
  'user.created',
  'user.created',
  'organization.created',
  'organizationMembership.created',
]
const typesOf = (received: { event: { type: string } }[]) => received.map((row) => row.event.type)

test('events of the seeds are sent, signed so that the real library accepts them', async () => {
  const { receiver } = await start()
  const received = await receiver.until((rows) => rows.length === seeded.length)
  expect(typesOf(received)).toEqual(seeded)
  expect(received[0]?.event.data).toMatchObject({
    id: seeds.demo.id,
    email_addresses: [{ email_address: seeds.demo.email }],
  })
  expect(received.at(-1)?.event.data).toMatchObject({
    role: 'org:admin',
    organization: { id: seeds.organization.id },
    public_user_data: { user_id: seeds.demo.id },
  })
})

test('events wait for a receiver that is not configured yet, also over a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
  open.push({ close: () => rm(folder, { recursive: true }) })
  const settings = { port: 0, stateFile: join(folder, 'state.json'), instance: withOrganizations }
  const first = await startClerkSandbox({ ...settings, webhookUrl: 'http://127.0.0.1:1/' })
  await storedEvent(first, (row) => row.attempts > 0 && row.last_error !== null)
  await first.close()
  const { receiver } = await start({ ...settings, retryDelaysMs: [1] })
  const received = await receiver.until((rows) => new Set(rows.map((row) => row.id)).size === 4)
  expect(received[0]?.event.data).toMatchObject({ id: expect.any(String) })
})

/** Asks until such an event is there: deliveries go on after the receiver has answered. */
async function storedEvent(sandbox: Sandbox, matches: (row: StoredEvent) => boolean): Promise<StoredEvent> {
  for (;;) {
    const { data } = (await (await fetch(`${sandbox.url}/_sandbox/events`)).json()) as { data: StoredEvent[] }
    const found = data.find(matches)
    if (found) return found
  }
}

type Answer = (row: Received, times: number) => number
type StoredEvent = {
  id: string
  status: string
  attempts: number
  last_status: number | null
  last_error: string | null
  next_attempt_at: number | null
  created_at: number
}
