import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import Stripe from 'stripe'
import { afterEach, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { clerkSandboxVariables, stripeSandboxVariables } from '../scripts/sandbox-environment.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { eventOf, sessionOf } from '../tests/support/factories/events.ts'
import { isLong } from '../tests/support/long.ts'
import { compileCache } from '../tests/support/product/product-process.ts'
import { pgBouncer, startPgBouncer } from '../tests/support/services/pgbouncer.ts'
import { startStripe } from '../tests/support/services/stripe.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

const started: ChildProcess[] = []

const database = testDatabase()
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** The real process. `lines` are its log, `complaints` its stderr. */
function start(env: Record<string, string>, room: 'server' | 'worker' = 'server') {
  const child = spawn(process.execPath, [join(import.meta.dirname, `../${room}/main.ts`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...compileCache, ...env },
  })
  started.push(child)
  const lines: Record<string, unknown>[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  let complaints = ''
  child.stderr.on('data', (text) => {
    complaints += text
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, lines, exited, complaints: () => complaints }
}

const environment = (more: Record<string, string> = {}) => ({
  NODE_ENV: 'test',
  PORT: '0',
  DATABASE_URL: database.url,
  ...stripeSandboxVariables({ stripePort: 1 }),
  ...clerkSandboxVariables({ clerkPort: 1 }),
  ...more,
})

async function ready(server: ReturnType<typeof start>): Promise<string> {
  const line = await waitUntil(
    () => server.lines.find(({ msg }) => msg === 'Server is ready'),
    () => `the server to be ready: ${server.complaints()}`,
  )
  return `http://127.0.0.1:${line.port}`
}

test.for(['server', 'worker'] as const)(
  'a %s behind PgBouncer in transaction mode refuses to start, in one sentence with the setting that is needed',
  async (room, { skip }) => {
    if (!pgBouncer) skip('no pgbouncer is installed')
    await using bouncer = await startPgBouncer(database.url, 'transaction')
    const refused = start(environment({ DATABASE_URL: bouncer.url }), room)
    expect(await refused.exited).toBe(1)
    expect(refused.complaints()).toBe(
      'DATABASE_URL leads through a pooler that shares sessions: set pool_mode = session in PgBouncer.\n',
    )
  },
)

test.for([
  { room: 'server', msg: 'Server is ready' },
  { room: 'worker', msg: 'Worker is ready' },
] as const)(
  'a $room says in its log, metrics and health which version and commit of the product it is',
  async ({ room, msg }) => {
    const { version } = packageJson
    const { lines, complaints } = start(environment({ TIDEMARK_REVISION: '1f2e3d4' }), room)
    const line = await waitUntil(() => lines.find((one) => one.msg === msg), complaints)
    expect(line).toMatchObject({ revision: '1f2e3d4' })
    expect(lines.filter((one) => one.version !== version)).toEqual([])
    const url = `http://127.0.0.1:${line.metrics_port}`
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({
      status: 'ok',
      version,
      revision: '1f2e3d4',
    })
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      `tidemark_build_info{version="${version}",revision="1f2e3d4"} 1\n`,
    )
  },
)

describe('the server process', () => {
  test('the server process lists everything that is missing and exits', async () => {
    const server = start({ NODE_ENV: 'production', STRIPE_API_BASE: 'http://localhost:4242' })
    expect(await server.exited).toBe(1)
    for (const name of [
      'APP_URL',
      'DATABASE_URL',
      'STRIPE_SECRET_KEY',
      'CLERK_WEBHOOK_SECRET',
      'STRIPE_API_BASE',
    ]) {
      expect(server.complaints()).toContain(name)
    }
    expect(server.complaints()).not.toContain('at ')
  })

  test.each(['server', 'worker'] as const)(
    'the %s process does not start with a key of another Stripe account than its database',
    async (room) => {
      const stripe = await startStripe()
      await database.owner.insertInto('stripe_accounts').values({ account_id: 'acct_first' }).execute()
      const { port } = new URL(stripe.url)
      const child = start(environment(stripeSandboxVariables({ stripePort: Number(port) })), room)
      expect(await child.exited).toBe(1)
      expect(child.complaints()).toMatch(/^STRIPE_SECRET_KEY is of the account acct_sandbox.*\n$/)
      expect(child.lines.some(({ msg }) => String(msg).includes('is ready'))).toBe(false)
      await database.owner.deleteFrom('stripe_accounts').execute()
      await stripe.stop()
    },
  )

  test('the server process names the variable when its port is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, resolve))
    const { port } = other.address() as AddressInfo
    const server = start(environment({ PORT: String(port) }))
    expect(await server.exited).toBe(1)
    expect(server.complaints()).toContain(`PORT ${port} is taken`)
    other.close()
  })

  test('the server process listens on this machine alone, unless HOST says otherwise', async () => {
    const elsewhere = (url: string) => `${url.replace('127.0.0.1', '127.0.0.2')}/healthz`
    const own = await ready(start(environment()))
    expect((await fetch(`${own}/healthz`)).status).toBe(200)
    await expect(fetch(elsewhere(own))).rejects.toThrow()
    const open = await ready(start(environment({ HOST: '0.0.0.0' })))
    expect((await fetch(elsewhere(open))).status).toBe(200)
  })

  // The test after it has SIGTERM.
  test.each(isLong ? (['SIGTERM', 'SIGINT'] as const) : (['SIGINT'] as const))(
    'the server process at %s finishes the request in hand and ends well',
    async (signal) => {
      const server = start(environment())
      const url = await ready(server)
      // A webhook whose body comes in two parts: the second one after the signal.
      const body = new TransformStream<Uint8Array, Uint8Array>()
      const writer = body.writable.getWriter()
      const answer = fetch(`${url}/api/stripe/webhook`, {
        method: 'POST',
        body: body.readable,
        duplex: 'half',
      } as RequestInit)
      await writer.write(new TextEncoder().encode('{"half":'))
      // Another call has been answered, so the first one has arrived too.
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      server.child.kill(signal)
      await waitUntil(
        () => server.lines.some(({ msg }) => msg === 'Server is finishing open requests'),
        'the signal to arrive',
      )
      // What is on its way over a kept connection is answered, and ends that; new connections are refused.
      expect((await fetch(`${url}/healthz`)).headers.get('connection')).toBe('close')
      await expect(fetch(`${url}/healthz`)).rejects.toThrow()
      await writer.write(new TextEncoder().encode('true}'))
      await writer.close()
      expect((await answer).status).toBe(400)
      expect(await server.exited).toBe(0)
      expect(server.lines.at(-1)).toMatchObject({ msg: 'Server has stopped' })
    },
  )

  test('the server process at SIGTERM stores the webhook that it is storing, answers it, and ends well', async () => {
    const server = start(environment())
    const url = await ready(server)
    const event = eventOf('checkout.session.completed', sessionOf(randomUUID()))
    const payload = JSON.stringify(event)
    const secret = stripeSandboxVariables({ stripePort: 1 }).STRIPE_WEBHOOK_SECRET
    const signature = new Stripe('sk_test_none').webhooks.generateTestHeaderString({ payload, secret })
    let answer: Promise<Response> | undefined
    await database.owner.transaction().execute(async (trx) => {
      await sql`LOCK TABLE inbox_events IN EXCLUSIVE MODE`.execute(trx)
      answer = fetch(`${url}/api/stripe/webhook`, {
        method: 'POST',
        headers: { 'stripe-signature': signature },
        body: payload,
      })
      await waitUntil(() => isConnectionBlocked('tidemark_server'), 'the webhook to be stored')
      server.child.kill('SIGTERM')
      await waitUntil(
        () => server.lines.some(({ msg }) => msg === 'Server is finishing open requests'),
        'the signal to arrive',
      )
    })
    expect((await answer)?.status).toBe(200)
    expect(await server.exited).toBe(0)
    expect(
      await database.owner.selectFrom('inbox_events').select('state').where('id', '=', event.id).execute(),
    ).toEqual([{ state: 'received' }])
  })

  test('the server process with a delay says first that it is not ready and still answers, until the delay is over or the signal comes again', async () => {
    const server = start(environment({ DRAIN_DELAY_MS: '120000' }))
    const url = await ready(server)
    const operators = `http://127.0.0.1:${server.lines.find(({ metrics_port }) => metrics_port)?.metrics_port}`
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    server.child.kill('SIGTERM')
    await waitUntil(async () => (await fetch(`${url}/readyz`)).status === 503, 'the server not to be ready')
    expect(await (await fetch(`${operators}/readyz`)).json()).toEqual({
      status: 'not_ready',
      reasons: { process: 'is stopping' },
    })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${operators}/metrics`)).status).toBe(200)
    expect(server.child.exitCode).toBeNull()
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  })
})

async function isConnectionBlocked(application: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ${application} AND wait_event_type = 'Lock'`.execute(
    database.owner,
  )
  return rows.length > 0
}
