import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { verifyToken } from '@clerk/backend'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { seeds } from './seed.ts'
import { TestBrowser } from './testing/browser.ts'

let folder: string
let children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children = []
  await rm(folder, { recursive: true, force: true })
})

function launch(variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...process.env,
      SANDBOX_CLERK_PORT: '0',
      SANDBOX_CLERK_STATE_FILE: join(folder, 'state.json'),
      SANDBOX_CLERK_WEBHOOK_URL: '',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

async function ready(child: ChildProcess): Promise<{ url: string }> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    expect(line).toMatch(/^sandbox\/clerk ready on http:\/\/localhost:\d+$/)
    return { url: line.split(' ').at(-1) ?? '' }
  }
  throw new Error('it never got ready')
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  const gone = once(child, 'exit')
  child.kill(signal)
  return (await gone)[0]
}

test('sessions and the signing key survive kill -9 right after the answer', async () => {
  const first = launch()
  const before = await ready(first)
  const browser = new TestBrowser(before)
  const { body } = await browser.signUp({ email: 'survivor@example.test' })
  const sessionId = body.response.created_session_id
  const { jwt } = (await browser.post(`/v1/client/sessions/${sessionId}/tokens`)).body
  await end(first, 'SIGKILL')

  const after = await ready(launch())
  const again = new TestBrowser(after)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  expect((await again.get('/v1/client')).body.response.last_active_session_id).toBe(sessionId)
  expect((await again.get('/v1/me')).body.response.first_name).toBe('Ada')
  const claims = await verifyToken(jwt, { secretKey: 'sk_test_sandbox', apiUrl: `${after.url}/bapi` })
  expect(claims.sid).toBe(sessionId)
})

test('SIGTERM ends it with 0, and a second start seeds nothing again', async () => {
  const first = launch()
  const { url } = await ready(first)
  await new TestBrowser({ url }).signIn(seeds.demo)
  expect(await end(first, 'SIGTERM')).toBe(0)
  const second = await ready(launch())
  const events = await (await fetch(`${second.url}/_sandbox/events?type=user.created`)).json()
  expect(events).toMatchObject({ data: [{ status: 'pending' }, { status: 'pending' }] })
})

test('passwords and cookies are not in the state file in clear', async () => {
  const child = launch()
  const browser = new TestBrowser(await ready(child))
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
  const [chunks, [code]] = await Promise.all([child.stderr?.toArray(), once(child, 'exit')])
  expect(code).toBe(1)
  expect(String(chunks)).toContain(`port ${port}: it is taken`)
  expect(String(chunks)).toContain('SANDBOX_CLERK_PORT')
  squatter.close()
})

test('variables that are wrong are all named', async () => {
  const child = launch({ SANDBOX_CLERK_PORT: 'many', SANDBOX_CLERK_WEBHOOK_SECRET: 'secret' })
  const [chunks, [code]] = await Promise.all([child.stderr?.toArray(), once(child, 'exit')])
  expect(code).toBe(1)
  expect(String(chunks)).toContain('SANDBOX_CLERK_PORT')
  expect(String(chunks)).toContain('SANDBOX_CLERK_WEBHOOK_SECRET')
})
