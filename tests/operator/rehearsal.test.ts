import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import type { BodyInputOf, Endpoint, ResponseOf } from '../../schema/api/endpoint.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import { launchRehearsal, type RunningRehearsal } from '../../scripts/launch/rehearsal.ts'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { makeDataFolder } from '../../scripts/launch/throwaway.ts'
import { waitForDeath } from '../../scripts/processes/alive.ts'
import { startChild } from '../../scripts/processes/child.ts'
import { madeOnce } from '../support/made.ts'
import { type Person, signUp } from '../support/services/clerk.ts'
import { knobsAt } from '../support/services/sandbox.ts'
import { waitUntil } from '../support/wait-until.ts'

const lines: string[] = []
const rehearsal = madeOnce<RunningRehearsal & { readonly dataDir: string }>(
  async () => {
    const dataDir = await makeDataFolder()
    const { PATH, HOME } = process.env
    const ports = { PORT: '0', SANDBOX_STRIPE_PORT: '0', SANDBOX_CLERK_PORT: '0', SANDBOX_EDITOR_PORT: '0' }
    // What an operator's own environment says of vendors and the database is not used.
    const own = {
      DATABASE_URL: 'postgres://user@127.0.0.1:1/own',
      STRIPE_SECRET_KEY: `sk_live_${'1'.repeat(90)}`,
    }
    const product = await launchRehearsal({
      dataDir,
      env: { PATH, HOME, ...ports, ...own },
      onLine: (source, line) => lines.push(`${source} ${line}`),
      say: (line) => lines.push(line),
    })
    const root = join(dataDir, 'caddy/pki/authorities/local/root.crt')
    if (existsSync(root)) setDefaultCACertificates([...getCACertificates(), await readFile(root, 'utf8')])
    return { ...product, dataDir }
  },
  async ({ stop, dataDir }) => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  },
)

async function ask<E extends Endpoint>(
  person: Person,
  { method, path, response: shape }: E,
  body?: BodyInputOf<E>,
): Promise<ResponseOf<E>> {
  const response = await fetch(`${rehearsal.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok)
    throw new Error(`${path}: ${response.status} ${response.headers.get('server')} ${await response.text()}`)
  return z.parse(shape, await response.json()) as ResponseOf<E>
}

async function buy(person: Person): Promise<void> {
  const body = { clerkUserId: person.user_id, credits: 500, amount: 7, currency: 'EUR' } as const
  // An older Caddy, such as Debian's 2.6, repeats no POST at another server
  // (https://github.com/caddyserver/caddy/issues/7546): the person presses again.
  const open = () =>
    ask(person, purchaseCredits, body).catch((error: Error) => {
      if (error.message.includes(': 502 Caddy')) return null
      throw error
    })
  const { sessionId } = await waitUntil(open, 'a payment page')
  await knobsAt(rehearsal.stripeSandboxUrl ?? '').knob(`sessions/${sessionId}/pay`)
}

async function untilPurchases(person: Person, count: number): Promise<void> {
  const find = async () => {
    const { data } = await ask(person, explainBalance)
    return data.items.length === count && data.items[0]?.balance_after.total === 500 * count
  }
  await waitUntil(find, () => `${count} purchases:\n${lines.slice(-30).join('\n')}`)
}

const pidOf = (name: string) => rehearsal.processes.find((one) => one.name === name)?.pid() ?? 0

test('a person’s packs come once each in a rehearsal, whose servers and workers are killed one after the other', async () => {
  const ada = await signUp(knobsAt(rehearsal.clerkSandboxUrl ?? ''))
  await buy(ada)
  await untilPurchases(ada, 1)
  const before = new Map(rehearsal.processes.map(({ name, pid }) => [name, pid()]))
  expect([...before.keys()].sort()).toEqual(['server-1', 'server-2', 'worker-1', 'worker-2'])
  for (const killed of ['1', '2']) {
    const dying = [pidOf(`server-${killed}`), pidOf(`worker-${killed}`)]
    for (const pid of dying) process.kill(pid, 'SIGKILL')
    // Until then it may take a call that it never answers.
    for (const pid of dying) expect(await waitForDeath(pid, 60_000)).toBe(true)
    await buy(ada)
    await untilPurchases(ada, 1 + Number(killed))
    await waitUntil(
      () => lines.includes(`server-${killed} runs again`) && lines.includes(`worker-${killed} runs again`),
      'the killed processes to run again',
    )
  }
  for (const [name, pid] of before) expect(pidOf(name)).not.toBe(pid)
})

test('a rehearsal runs its servers by the documented login, and says what differs from production', async () => {
  const { environment, differences } = rehearsal
  expect(environment.DATABASE_URL).toContain('//tidemark_server_login:')
  const url = environment.APP_URL ?? ''
  expect(url.startsWith('https:') ? /Caddy’s own authority/ : /no TLS/).toSatisfy((pattern: RegExp) =>
    differences.some((text) => pattern.test(text)),
  )
  const said = differences.join('\n')
  for (const what of ['REHEARSAL_VENDORS', 'Redis|queues', 'backups', 'one machine', 'new with each start'])
    expect(said).toMatch(new RegExp(what))
})

test.each([
  [
    'the exception',
    { REHEARSAL_VENDORS: undefined },
    'STRIPE_API_BASE is for the sandbox and must not be set in production.',
  ],
  [
    'a stand-in on this machine',
    { CLERK_API_URL: 'https://clerk.example.com/bapi' },
    'CLERK_API_URL must be an address of this machine in a rehearsal.',
  ],
  ['a test key', { STRIPE_SECRET_KEY: `sk_live_${'1'.repeat(90)}` }, 'STRIPE_SECRET_KEY is a live key'],
])('production without %s refuses to start at the stand-ins', async (_, change, says) => {
  for (const script of ['server/main.ts', 'worker/main.ts']) {
    const written: string[] = []
    const child = await startChild({
      name: script,
      args: [join(repositoryRoot, script)],
      env: { ...rehearsal.environment, PORT: '0', ...change },
      onLine: (line) => written.push(line),
    })
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(written.join('\n')).toContain(says)
  }
})
