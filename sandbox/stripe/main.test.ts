import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { expect, it, onTestFinished } from 'vitest'
import { spawnSandbox } from '../kit/testing/process.ts'
import { readSettings } from './settings.ts'
import { newCheckout, startHarness, startReceiver } from './testing/sandbox.ts'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-stripe-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

it('everything is still there after a restart: objects, order, keys, clock, rules and events that are listed late', async () => {
  const stateFile = join(await temporaryFolder(), 'state')
  const before = await startHarness({ stateFile })
  await before.knob('clock/advance', { seconds: 86_400 })
  await before.knob('deliveries', { mode: 'never' })
  await before.knob('account', { id: 'acct_kept' })
  const customer = await before.stripe.customers.create({ email: 'a@b.test' }, { idempotencyKey: 'key-1' })
  const session = await newCheckout(before, { customer: customer.id })
  await before.pay(session.id)
  const events = await before.stripe.events.list()
  await before.stripe.customers.create({ email: 'late@b.test' })
  const { data } = await before.stripe.events.list({ limit: 1 })
  await before.knob(`events/${data[0]?.id}/list`, { listed: false })
  await before.close()

  const after = await startHarness({ stateFile })

  expect(await after.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' })
  expect((await after.stripe.events.list()).data).toEqual(events.data)
  const replayed = await after.stripe.customers.create({ email: 'a@b.test' }, { idempotencyKey: 'key-1' })
  expect(replayed.id).toBe(customer.id)
  expect(await after.stripe.accounts.retrieveCurrent()).toMatchObject({ id: 'acct_kept' })
  expect((await after.stripe.customers.create({})).created).toBeGreaterThan(Date.now() / 1000 + 86_000)
})

it('a delivery that was under way before a restart arrives after it', async () => {
  const stateFile = join(await temporaryFolder(), 'state')
  const receiver = await startReceiver()
  const before = await startHarness({ stateFile, webhookUrl: receiver.url, retryDelaysMs: [1] })
  await before.knob('deliveries', { mode: 'late', delay_ms: 3_600_000 })
  await before.stripe.customers.create({})
  await before.close()
  expect(receiver.received).toEqual([])

  const after = await startHarness({ stateFile, webhookUrl: receiver.url })
  await after.knob('deliveries/release')

  await receiver.until('customer.created')
})

it('a second sandbox on the same port fails without touching the state of the first', async () => {
  const stateFile = join(await temporaryFolder(), 'state')
  const first = await startHarness({ stateFile })
  await expect(startHarness({ stateFile, port: first.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const customer = await first.stripe.customers.create({})
  await first.close()

  const after = await startHarness({ stateFile })

  expect((await after.stripe.customers.list()).data.map(({ id }) => id)).toEqual([customer.id])
})

it('a state file that another sandbox uses, or that is none of its own, is left alone', async () => {
  const folder = await temporaryFolder()
  const stateFile = join(folder, 'deeper', 'state')
  await startHarness({ stateFile })
  await expect(startHarness({ stateFile })).rejects.toThrow(
    `Another process uses ${stateFile}. Set SANDBOX_STRIPE_STATE_FILE`,
  )
  const letter = join(folder, 'letter')
  await writeFile(
    letter,
    'a letter that is longer than the header of a file of SQLite, which has 100 bytes. '.repeat(9),
  )
  await expect(startHarness({ stateFile: letter })).rejects.toThrow('is not a state file of sandbox/stripe')
  expect(await readFile(letter, 'utf8')).toMatch(/^a letter/)
})

it('the process keeps what it answered through a kill -9, and names the variable of a port that is taken', {
  timeout: 5 * 60_000,
}, async () => {
  const stateFile = join(await temporaryFolder(), 'state')
  const first = spawnSandbox('stripe', { SANDBOX_STRIPE_STATE_FILE: stateFile })
  const { port } = await first.ready()
  const customer = await sdkFor(port).customers.create({ email: 'ada@example.com' })
  await first.end('SIGKILL')

  const second = spawnSandbox('stripe', { SANDBOX_STRIPE_STATE_FILE: stateFile })
  const { port: secondPort } = await second.ready()
  expect(await sdkFor(secondPort).customers.retrieve(customer.id)).toMatchObject({
    email: 'ada@example.com',
  })

  const third = spawnSandbox('stripe', {
    SANDBOX_STRIPE_PORT: String(secondPort),
    SANDBOX_STRIPE_STATE_FILE: `${stateFile}-3`,
  })
  expect(await third.exited).toBe(1)
  expect(third.errors()).toContain('SANDBOX_STRIPE_PORT')

  expect(await second.end('SIGTERM')).toBe(0)
})

function sdkFor(port: number) {
  return new Stripe('sk_test_sandbox', { host: 'localhost', port, protocol: 'http' })
}

it('the stand-in of Stripe listens on this machine alone', async () => {
  const { url } = await startHarness({ host: readSettings({}).host })
  expect((await fetch(`${url.replace('localhost', '127.0.0.1')}/_sandbox/clock`)).status).toBe(200)
  await expect(fetch(`${url.replace('localhost', '127.0.0.2')}/_sandbox/clock`)).rejects.toThrow()
})
