import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyToken } from '@clerk/backend'
import { expect, onTestFinished, test } from 'vitest'
import { seeds } from './seed.ts'
import { readSettings } from './settings.ts'
import { startClerkSandbox } from './start.ts'
import { TestBrowser } from './testing/browser.ts'

async function temporaryStateFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'state.json')
}

/** As the process starts, without webhooks. Ends with the test, or before it. */
async function start(stateFile: string) {
  const variables = { SANDBOX_CLERK_PORT: '0', SANDBOX_CLERK_WEBHOOK_URL: '' }
  const sandbox = await startClerkSandbox({ ...readSettings(variables), stateFile })
  let isOpen = true
  const close = async () => {
    if (isOpen) await sandbox.close()
    isOpen = false
  }
  onTestFinished(close)
  return { ...sandbox, close }
}

test('a second start of the stand-in of Clerk keeps sessions and the signing key, and seeds nothing again', async () => {
  const stateFile = await temporaryStateFile()
  const first = await start(stateFile)
  const browser = new TestBrowser(first)
  const sessionId = (await browser.signIn(seeds.demo)).body.response.created_session_id
  const { jwt } = (await browser.post(`/v1/client/sessions/${sessionId}/tokens`)).body
  await first.close()
  const second = await start(stateFile)
  const again = new TestBrowser(second)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  expect((await again.get('/v1/client')).body.response.last_active_session_id).toBe(sessionId)
  const claims = await verifyToken(jwt, { secretKey: 'sk_test_sandbox', apiUrl: `${second.url}/bapi` })
  expect(claims.sid).toBe(sessionId)
  const events = await (await fetch(`${second.url}/_sandbox/events?type=user.created`)).json()
  expect(events).toMatchObject({
    data: [{ status: 'pending' }, { status: 'pending' }, { status: 'pending' }],
  })
})

test('passwords and cookies are not in the state file in clear', async () => {
  const stateFile = await temporaryStateFile()
  const browser = new TestBrowser(await start(stateFile))
  await browser.signUp({ email: 'secret@example.test', password: 'a-very-secret-password' })
  const state = await readFile(stateFile, 'utf8')
  expect(state).toContain('secret@example.test')
  expect(state).not.toContain('a-very-secret-password')
  expect(state).not.toContain(browser.cookies.get('__client'))
})
