import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { clerkSandboxEnvironment, stripeSandboxEnvironment } from '../../../scripts/sandbox-environment.ts'

export interface Sandbox {
  readonly url: string
  readonly port: number
  /** Turns a knob: `POST /_sandbox/<path>`, or DELETE without a body. Throws when the sandbox refuses. */
  knob<T = unknown>(path: string, body?: object): Promise<T>
  clear(path: string): Promise<void>
  stop(): Promise<void>
}

/** Where an application's own pages are in tests, so that tokens are made for the right origin. */
export const testAppUrl = 'http://localhost:3000'

/** Starts a sandbox on a free port with a temporary state. Without `serverPort` it sends no webhooks. */
export async function startSandbox(
  service: 'stripe' | 'clerk',
  options: { serverPort?: number; env?: Record<string, string> } = {},
): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), `tidemark-${service}-`))
  const places = {
    appUrl: testAppUrl,
    serverPort: options.serverPort ?? 0,
    stripePort: 0,
    clerkPort: 0,
    stripeStateFile: join(folder, 'stripe.json'),
    clerkStateFile: join(folder, 'clerk.json'),
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, `../../../sandbox/${service}/main.ts`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...(service === 'stripe'
        ? { ...stripeSandboxEnvironment(places), SANDBOX_STRIPE_PUBLIC_URL: '' }
        : clerkSandboxEnvironment(places)),
      ...(options.serverPort === undefined && {
        SANDBOX_STRIPE_WEBHOOK_URL: '',
        SANDBOX_CLERK_WEBHOOK_URL: '',
      }),
      ...options.env,
    },
  })
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  const exited = once(child, 'exit')
  // Faults that a test asked for are reported there too, so it is shown only when the start fails.
  let complaints = ''
  child.stderr.on('data', (text) => {
    complaints += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = / ready on (http\S+)/.exec(line)
      if (ready?.[1]) resolve(ready[1])
    })
    exited.then(([code]) => reject(new Error(`sandbox/${service} ended with ${code}:\n${complaints}`)))
  })

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/_sandbox/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    url,
    port: Number(new URL(url).port),
    knob: async <T>(path: string, body: object = {}) => (await call('POST', path, body)) as T,
    clear: async (path) => {
      await call('DELETE', path)
    },
    async stop() {
      process.off('exit', killWithUs)
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
