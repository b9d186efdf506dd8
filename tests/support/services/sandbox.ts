import { readSettings as readClerkSettings } from '../../../sandbox/clerk/settings.ts'
import { startClerkSandbox } from '../../../sandbox/clerk/start.ts'
import { startSampleGateway } from '../../../sandbox/gateway/start.ts'
import { readSettings as readStripeSettings } from '../../../sandbox/stripe/settings.ts'
import { startStripeSandbox } from '../../../sandbox/stripe/start.ts'
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

/**
 * Starts a sandbox on a free port, without a state file. It listens in the process of the test, because a
 * process of its own takes more than a second to read its sources. Without `serverPort` it sends no webhooks.
 */
export async function startSandbox(
  service: 'stripe' | 'clerk',
  options: { serverPort?: number; env?: Record<string, string> } = {},
): Promise<Sandbox> {
  const unused = 'no-state-file'
  const places = {
    appUrl: testAppUrl,
    serverPort: options.serverPort ?? 0,
    stripePort: 0,
    clerkPort: 0,
    stripeStateFile: unused,
    clerkStateFile: unused,
  }
  const silent = options.serverPort === undefined && {
    SANDBOX_STRIPE_WEBHOOK_URL: '',
    SANDBOX_CLERK_WEBHOOK_URL: '',
  }
  const sandbox =
    service === 'stripe'
      ? await startStripeSandbox({
          ...readStripeSettings({
            ...stripeSandboxEnvironment(places),
            SANDBOX_STRIPE_PUBLIC_URL: '',
            ...silent,
            ...options.env,
          }),
          stateFile: null,
        })
      : await startClerkSandbox({
          ...readClerkSettings({
            ...clerkSandboxEnvironment(places),
            ...silent,
            ...options.env,
          }),
          stateFile: null,
        })
  return {
    url: sandbox.url,
    port: sandbox.port,
    ...knobsAt(sandbox.url),
    stop: () => sandbox.close(),
  }
}

/** The knobs of a sandbox that runs there. */
export function knobsAt(url: string): Pick<Sandbox, 'knob' | 'clear'> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/_sandbox/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    knob: async <T>(path: string, body: object = {}) => (await call('POST', path, body)) as T,
    clear: async (path) => {
      await call('DELETE', path)
    },
  }
}

/** The sample gateway on a free port, for the product at the address. */
export function startGateway({
  appUrl,
  operatorKey,
}: {
  readonly appUrl: string
  readonly operatorKey: string
}) {
  return startSampleGateway({ host: '127.0.0.1', port: 0, appUrl, operatorKey })
}
