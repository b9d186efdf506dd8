import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { findFreePort } from '../processes/ports.ts'
import { choosePorts } from './ports.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function occupy(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const base = { env: {}, port: 0, metricsPort: 0, sandboxes: { stripe: false, clerk: false }, watch: false }

test('a port in use is an error that names the variable and what to do', async () => {
  const port = await occupy('127.0.0.1')
  await expect(choosePorts({ ...base, port })).rejects.toThrow(
    `PORT: port ${port} is taken. Stop what listens there, or set PORT to another port (0 takes any free one).`,
  )
})

test('the port of a sandbox matters only when that sandbox is started', async () => {
  const port = await occupy('127.0.0.1')
  const env = { SANDBOX_STRIPE_PORT: String(port) }
  await expect(choosePorts({ ...base, env, sandboxes: { stripe: true, clerk: false } })).rejects.toThrow(
    'SANDBOX_STRIPE_PORT',
  )
  const editor = { SANDBOX_STRIPE_PORT: '0', SANDBOX_EDITOR_PORT: String(port) }
  await expect(
    choosePorts({ ...base, env: editor, sandboxes: { stripe: true, clerk: false } }),
  ).rejects.toThrow('SANDBOX_EDITOR_PORT')
  expect(await choosePorts({ ...base, env: editor })).toMatchObject({ editor: port })
  expect(await choosePorts({ ...base, env })).toMatchObject({ stripe: port })
})

test('equal ports are refused before anything listens, with every variable that has them', async () => {
  const port = await findFreePort()
  const env = { SANDBOX_STRIPE_PORT: String(port), SANDBOX_CLERK_PORT: String(port) }
  const equal = (options: object) => choosePorts({ ...base, env, port, ...options })
  await expect(equal({ sandboxes: { stripe: true, clerk: true } })).rejects.toThrow(
    `PORT and SANDBOX_STRIPE_PORT and SANDBOX_CLERK_PORT are all ${port}. Give each a port of its own`,
  )
  await expect(equal({ metricsPort: port })).rejects.toThrow(`PORT and METRICS_PORT are all ${port}`)
  expect(await equal({})).toMatchObject({ public: port })
})

test('0 means a free port, a different one for each', async () => {
  const env = {
    SANDBOX_STRIPE_PORT: '0',
    SANDBOX_CLERK_PORT: '0',
    SANDBOX_EDITOR_PORT: '0',
    SANDBOX_GATEWAY_PORT: '0',
  }
  const ports = await choosePorts({ ...base, env, sandboxes: { stripe: true, clerk: true }, watch: true })
  expect(new Set(Object.values(ports)).size).toBe(8)
})

test('a word is not a port', async () => {
  await expect(choosePorts({ ...base, env: { SANDBOX_CLERK_PORT: 'often' } })).rejects.toThrow(
    'SANDBOX_CLERK_PORT: often is not a port',
  )
})
