import { createOrganizationMaker } from '../../../schema/vendors/clerk/organizations.ts'
import { findFreePort } from '../../../scripts/processes/ports.ts'
import { wholeOrNothing } from '../../../scripts/processes/whole-or-nothing.ts'
import type { Dependencies } from '../../../server/dependencies.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { lazyProxy, madeOnce } from '../made.ts'
import { startClerk, type TestClerk } from '../services/clerk.ts'
import { startStripe, type TestStripe } from '../services/stripe.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { type ProductProcess, startProductProcess } from './product-process.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'
import { createTestWorker, type TestWorker, trustingStaff } from './test-worker.ts'

/** The product around one database: a real server, and a worker whose jobs run when the test says so. */
export interface TestProduct {
  readonly database: TestDatabase
  readonly server: TestServer
  readonly stripe: TestStripe
  readonly clerk: TestClerk
  readonly worker: TestWorker
  readonly workerProcess: ProductProcess
  /** The time of server and worker. The sandboxes have their own. */
  readonly clock: TestClock
  /** Another server beside the first, with other settings. The caller closes it. */
  startServer(options?: TestProductOptions['server']): Promise<TestServer>
  /** Lets days pass, for us and at Stripe. */
  advanceDays(days: number): Promise<void>
  close(): Promise<void>
}

export interface TestProductOptions {
  /** Stripe's sandbox, with our price list or an empty one. Without it every call to Stripe fails. */
  readonly stripe?: 'with_prices' | 'empty'
  /** Clerk's sandbox, or `trusting`: tokens are user ids. Without it sign-in does not work. */
  readonly clerk?: 'sandbox' | 'trusting'
  /** A worker that runs as a process of its own, beside the one whose jobs run when the test says so. */
  readonly worker?: 'process'
  /** Of that process. */
  readonly workerEnv?: Readonly<Record<string, string>>
  /** The services whose events are delivered to the server. */
  readonly webhooks?: readonly ('stripe' | 'clerk')[]
  /** Where the queues are; left out, in Postgres. */
  readonly redisUrl?: string | undefined
  /** An existing database, which is kept. */
  readonly database?: TestDatabase
  readonly server?: Partial<Pick<TestServerOptions, 'databaseUrl' | 'clerk' | 'env' | 'settings' | 'deps'>>
}

/** The product for this file's tests, which can be destructured. Options may come from a hook. */
export function testProduct(
  options: TestProductOptions | (() => TestProductOptions | undefined) = {},
): TestProduct {
  const product = madeOnce(
    () => {
      const asked = typeof options === 'function' ? options() : options
      return asked && startTestProduct(asked)
    },
    (started) => started.close(),
  )
  const part = <Part extends keyof TestProduct>(name: Part) =>
    lazyProxy(() => product[name] as TestProduct[Part] & object, 'The product is not started')
  return {
    database: part('database'),
    server: part('server'),
    stripe: part('stripe'),
    clerk: part('clerk'),
    worker: part('worker'),
    workerProcess: part('workerProcess'),
    clock: part('clock'),
    startServer: (server) => product.startServer(server),
    advanceDays: (days) => product.advanceDays(days),
    close: () => product.close(),
  }
}

export function startTestProduct(options: TestProductOptions = {}): Promise<TestProduct> {
  return wholeOrNothing((running) => startParts(options, running))
}

async function startParts(options: TestProductOptions, running: AsyncDisposableStack): Promise<TestProduct> {
  const port = options.webhooks ? await findFreePort() : 0
  const delivered = (service: 'stripe' | 'clerk') =>
    options.webhooks?.includes(service) ? { serverPort: port } : {}
  const [database, stripe, clerk] = await Promise.all([
    options.database ?? endedWith(running, createTestDatabase(), (made) => made.close()),
    options.stripe && endedWith(running, startStripe(delivered('stripe')), (made) => made.stop()),
    options.clerk === 'sandbox'
      ? endedWith(running, startClerk(delivered('clerk')), (made) => made.stop())
      : undefined,
  ])
  if (options.stripe === 'with_prices') await stripe?.setUp()
  const clock = createTestClock()
  const startServer = ({ deps, ...settings }: TestProductOptions['server'] = {}, onPort = 0) =>
    startTestServer({
      databaseUrl: database.url,
      redisUrl: options.redisUrl,
      ...(stripe && { stripe }),
      ...(clerk && { clerk }),
      port: onPort,
      ...settings,
      deps: { now: clock.now, ...(options.clerk === 'trusting' && { clerk: trustingClerk }), ...deps },
    })
  const started = await startServer(options.server, port)
  running.defer(() => started.close())
  const workerProcess =
    options.worker &&
    (await endedWith(
      running,
      startProductProcess('worker', {
        databaseUrl: database.url,
        redisUrl: options.redisUrl,
        ...(stripe && { stripeUrl: stripe.url }),
        ...(options.workerEnv && { env: options.workerEnv }),
      }),
      (made) => made.kill(),
    ))
  const product = {
    stripe: stripe ?? absent<TestStripe>('Stripe'),
    clerk: clerk ?? absent<TestClerk>('Clerk'),
    workerProcess: workerProcess ?? absent<ProductProcess>('worker that runs'),
  }
  return {
    ...product,
    database,
    server: started,
    worker: createTestWorker(database, {
      stripe: product.stripe,
      deps: {
        now: clock.now,
        ...(stripe && { stripe: stripe.client }),
        ...(options.clerk === 'trusting' && trustingStaff),
        ...(clerk && {
          clerk: clerk.directory,
          verifyToken: clerk.verifyToken,
          organizations: createOrganizationMaker(clerk.client),
        }),
      },
    }),
    clock,
    startServer: (another) => startServer(another),
    async advanceDays(days) {
      clock.advance(days * 86_400_000)
      await product.stripe.knob('clock/advance', { seconds: Math.round(days * 86_400) })
    },
    close: () => running.disposeAsync(),
  }
}

function absent<T extends object>(what: string): T {
  return lazyProxy<T>(() => undefined, `This product has no ${what}: the test did not ask for one.`)
}

/** Any token is its user's id: who may call is tested elsewhere. */
export const trustingClerk = {
  verifyToken: trustingStaff.verifyToken,
  getAccountStatus: async () => 'good',
  getProfile: async () => null,
  identify: async () => null,
  findMembership: async () => null,
} satisfies Partial<Dependencies['clerk']> as unknown as Dependencies['clerk']

async function endedWith<T>(
  running: AsyncDisposableStack,
  starting: Promise<T>,
  end: (started: T) => Promise<void>,
): Promise<T> {
  const started = await starting
  running.defer(() => end(started))
  return started
}
