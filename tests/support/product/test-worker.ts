import { createTransport } from 'nodemailer'
import { pino } from 'pino'
import type Stripe from 'stripe'
import { defaultBrand } from '../../../schema/catalogue/brand.ts'
import { findEvent, type InboxEvent } from '../../../schema/inbox/events.ts'
import { openClerk } from '../../../schema/vendors/clerk/client.ts'
import { createClerkDirectory } from '../../../schema/vendors/clerk/directory.ts'
import { createStripe } from '../../../schema/vendors/stripe/client.ts'
import { stripeEventSchema } from '../../../schema/vendors/stripe/events.ts'
import type { WorkerDependencies } from '../../../worker/dependencies.ts'
import { tryEvent } from '../../../worker/events/try-event.ts'
import { createWorkerMetrics } from '../../../worker/metrics.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { testLimits } from '../factories/acts.ts'
import { receiveClerkEvent, receiveStripeEvent } from '../factories/events.ts'
import type { ClerkSandboxEvent } from '../services/clerk.ts'
import { testAppUrl } from '../services/sandbox.ts'
import type { TestStripe } from '../services/stripe.ts'

/** A worker whose jobs run when the test says so. */
export interface TestWorker {
  readonly deps: WorkerDependencies
  /** Applies Stripe's events in this order; one that comes too early is retried at the end. */
  applyStripe(events: readonly Stripe.Event[]): Promise<void>
  /** Lets everything that happened at Stripe since arrive, in Stripe's order. */
  catchUp(): Promise<void>
  /** Lets an event of Clerk's arrive, as if it had just been delivered once more. */
  applyClerk(event: Pick<ClerkSandboxEvent, 'type' | 'payload'>): Promise<InboxEvent | undefined>
  applyAllOfClerk(events: readonly ClerkSandboxEvent[]): Promise<void>
}

export function createTestWorker(
  database: TestDatabase,
  options: { readonly stripe: TestStripe; readonly deps: Partial<WorkerDependencies> },
): TestWorker {
  const deps = createTestDependencies(database, options.deps)
  const worker: TestWorker = {
    deps,
    async applyStripe(events) {
      const early: string[] = []
      for (const event of events) {
        const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
        await tryEvent(deps, { source: 'stripe', id }).catch(() => early.push(id))
      }
      for (const id of early) await tryEvent(deps, { source: 'stripe', id })
    },
    catchUp: async () => worker.applyStripe(await options.stripe.takeEvents()),
    async applyClerk(event) {
      const key = { source: 'clerk', id: await receiveClerkEvent(database.server, event) } as const
      await tryEvent(deps, key)
      return findEvent(database.owner, key)
    },
    async applyAllOfClerk(events) {
      for (const event of events) await worker.applyClerk(event)
    },
  }
  return worker
}

const noClerk = createClerkDirectory(
  openClerk({ secretKey: 'sk_test_none', apiUrl: 'http://127.0.0.1:1/bapi' }),
)

/** Any token is its user's id, and every person is on the support staff and a member of nothing. */
export const trustingStaff = {
  verifyToken: async (user_id) => ({
    user_id,
    session_id: null,
    issued_at: new Date(),
    factor_ages: [0, -1],
  }),
  clerk: { ...noClerk, isSupportStaff: async () => true, findMembership: async () => null },
} satisfies Partial<WorkerDependencies>

/** A job's dependencies in a direct call. Without `stripe`, a call to Stripe fails the test. */
export function createTestDependencies(
  database: TestDatabase,
  overrides: Partial<WorkerDependencies> = {},
): WorkerDependencies {
  return {
    db: database.worker,
    stripe: createStripe({ secretKey: 'sk_test_none', apiBase: 'http://127.0.0.1:1' }),
    organizations: {
      makeOrganization: () => {
        throw new Error('This test makes no organization')
      },
    },
    clerk: noClerk,
    verifyToken: () => {
      throw new Error('This test verifies no token')
    },
    producer: producerOf(() => {
      throw new Error('This test enqueues nothing')
    }),
    log: pino({ level: 'silent' }),
    metrics: createWorkerMetrics(),
    now: () => new Date(),
    appUrl: testAppUrl,
    claimAfterMs: 1000,
    actLimits: testLimits,
    mailer: { transport: createTransport({ jsonTransport: true }), brand: defaultBrand },
    livemode: false,
    ...overrides,
  }
}

/** A producer that passes each job to `add`, also those of a batch. */
export function producerOf(
  add: WorkerDependencies['producer']['add'],
  countWaiting: WorkerDependencies['producer']['countWaiting'] = async () => 0,
): WorkerDependencies['producer'] {
  return {
    add,
    async addMany(queue, jobs) {
      for (const { jobId, payload } of jobs) await add(queue, jobId, payload)
    },
    countWaiting,
  }
}
