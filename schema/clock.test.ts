import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { waitUntil } from '../tests/support/wait-until.ts'
import { type Clock, openClock } from './clock.ts'

const daysMs = (days: number) => days * 86_400_000
const started: (Clock | Server)[] = []
afterEach(() => {
  for (const one of started.splice(0)) 'stop' in one ? one.stop() : one.close()
})

/** A sandbox that is so far ahead, and answers at once. */
async function startSandbox(sandbox: { offset_ms: number; status?: number }): Promise<string> {
  const server = createServer((_request, response) => {
    response.statusCode = sandbox.status ?? 200
    response.setHeader('connection', 'close')
    response.end(JSON.stringify({ now: 0, offset_ms: sandbox.offset_ms }))
  })
  started.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function open(env: Parameters<typeof openClock>[0]): Promise<Clock> {
  const clock = openClock(env)
  started.push(clock)
  await clock.ready
  return clock
}

const daysAhead = (clock: Clock) => Math.round((clock.now().getTime() - Date.now()) / daysMs(1))

test('the product goes by the clock of the sandbox from its first moment, and follows when that moves', async () => {
  const sandbox = { offset_ms: daysMs(3) }
  const clock = await open({ NODE_ENV: 'development', STRIPE_API_BASE: await startSandbox(sandbox) })
  expect(daysAhead(clock)).toBe(3)
  sandbox.offset_ms = daysMs(45)
  await waitUntil(() => daysAhead(clock) === 45, 'the clock to follow')
})

test('while the sandbox is away its last time goes on, and then it is followed again', async () => {
  const sandbox: Parameters<typeof startSandbox>[0] = { offset_ms: daysMs(3) }
  const clock = await open({ NODE_ENV: 'development', STRIPE_API_BASE: await startSandbox(sandbox) })
  Object.assign(sandbox, { status: 502, offset_ms: 'nonsense' })
  expect(daysAhead(clock)).toBe(3)
  Object.assign(sandbox, { status: 200, offset_ms: daysMs(4) })
  await waitUntil(() => daysAhead(clock) === 4, 'the clock to follow again')
})

test('it is the real time without a sandbox, with another one that has no clock, and before one that is not there', async () => {
  const withoutClock = await startSandbox({ offset_ms: daysMs(9), status: 404 })
  for (const STRIPE_API_BASE of [undefined, withoutClock, 'http://127.0.0.1:1']) {
    expect(daysAhead(await open({ NODE_ENV: 'development', STRIPE_API_BASE }))).toBe(0)
  }
})

test('in production it is the real time, whatever the environment says', async () => {
  const STRIPE_API_BASE = await startSandbox({ offset_ms: daysMs(45) })
  expect(daysAhead(await open({ NODE_ENV: 'production', STRIPE_API_BASE }))).toBe(0)
})
