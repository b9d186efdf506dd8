import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyToken } from '@clerk/backend'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { spawnSandbox } from '../kit/testing/process.ts'
import { seeds } from './seed.ts'
import { TestBrowser } from './testing/browser.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function launch(variables: Record<string, string> = {}) {
  return spawnSandbox('clerk', { SANDBOX_CLERK_STATE_FILE: join(folder, 'state.json'), ...variables })
}

test('sessions and the signing key survive kill -9 right after the answer', async () => {
  const first = launch()
  const before = await first.ready()
  const browser = new TestBrowser(before)
  const { body } = await browser.signUp({ email: 'survivor@example.test' })
  const sessionId = body.response.created_session_id
  const { jwt } = (await browser.post(`/v1/client/sessions/${sessionId}/tokens`)).body
  await first.end('SIGKILL')

  const after = await launch().ready()
  const again = new TestBrowser(after)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  expect((await again.get('/v1/client')).body.response.last_active_session_id).toBe(sessionId)
  expect((await again.get('/v1/me')).body.response.first_name).toBe('Ada')
  const claims = await verifyToken(jwt, { secretKey: 'sk_test_sandbox', apiUrl: `${after.url}/bapi` })
  expect(claims.sid).toBe(sessionId)
})

test('the stand-in of Clerk listens on this machine alone', async () => {
  const { url } = await launch({ SANDBOX_CLERK_PORT: '0' }).ready()
  const path = '/v1/environment'
  expect((await fetch(url.replace('localhost', '127.0.0.1') + path)).status).toBe(200)
  await expect(fetch(url.replace('localhost', '127.0.0.2') + path)).rejects.toThrow()
})

test('SIGTERM ends it with 0, and a second start seeds nothing again', async () => {
  const first = launch()
  const { url } = await first.ready()
  await new TestBrowser({ url }).signIn(seeds.demo)
  expect(await first.end('SIGTERM')).toBe(0)
  const second = await launch().ready()
  const events = await (await fetch(`${second.url}/_sandbox/events?type=user.created`)).json()
  expect(events).toMatchObject({
    data: [{ status: 'pending' }, { status: 'pending' }, { status: 'pending' }],
  })
})

test('passwords and cookies are not in the state file in clear', async () => {
  const child = launch()
  const browser = new TestBrowser(await child.ready())
  await browser.signUp({ email: 'secret@example.test', password: 'a-very-secret-password' })
  const state = await readFile(join(folder, 'state.json'), 'utf8')
  expect(state).toContain('secret@example.test')
  expect(state).not.toContain('a-very-secret-password')
  expect(state).not.toContain(browser.cookies.get('__client'))
})

test('a port that is taken is an error that names the variable', async () => {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  const address = squatter.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const child = launch({ SANDBOX_CLERK_PORT: port })
  expect(await child.exited).toBe(1)
  expect(child.errors()).toContain(`port ${port}: it is taken`)
  expect(child.errors()).toContain('SANDBOX_CLERK_PORT')
  squatter.close()
})

test('variables that are wrong are all named', async () => {
  const child = launch({ SANDBOX_CLERK_PORT: 'many', SANDBOX_CLERK_WEBHOOK_SECRET: 'secret' })
  expect(await child.exited).toBe(1)
  expect(child.errors()).toContain('SANDBOX_CLERK_PORT')
  expect(child.errors()).toContain('SANDBOX_CLERK_WEBHOOK_SECRET')
})
