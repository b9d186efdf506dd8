import type Stripe from 'stripe'
import { openClerk } from '../schema/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../schema/clerk/directory.ts'
import { createOrganizationMaker, type OrganizationMaker } from '../schema/clerk/organizations.ts'
import type { Database, DatabaseConnection } from '../schema/database/connect.ts'
import type { ProcessEnvironment } from '../schema/env.ts'
import type { Logger } from '../schema/log.ts'
import type { QueueBackend } from '../schema/queues/backend.ts'
import type { Producer } from '../schema/queues/producer.ts'
import { createCallLimit } from '../schema/stripe/call-limit.ts'
import { createStripe } from '../schema/stripe/client.ts'
import { isLiveKey } from '../schema/stripe/mode.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'

/** What a job is given; tests give it their own. */
export interface WorkerDependencies {
  readonly db: Database
  readonly stripe: Stripe
  readonly organizations: OrganizationMaker
  readonly clerk: ClerkDirectory
  readonly producer: Pick<Producer, 'add' | 'addMany' | 'countWaiting'>
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly now: () => Date
  /** The application's address, to which the links in invitations lead. */
  readonly appUrl: string
  /** How old a row must be before the claim enqueues it, in milliseconds. */
  readonly claimAfterMs: number
  /** Credits that one support person may adjust without a second one. */
  readonly adjustmentLimit: number
  /** Whether the key of `stripe` is a live one. */
  readonly livemode: boolean
}

interface Opened {
  readonly env: ProcessEnvironment
  readonly database: Pick<DatabaseConnection, 'db' | 'pool'>
  readonly backend: QueueBackend
  readonly producer: Producer
  readonly log: Logger
  readonly now: () => Date
}

/** What jobs are given, from what a process has opened and closes again. */
export function createDependencies({
  env,
  database,
  backend,
  producer,
  log,
  now,
}: Opened): WorkerDependencies {
  const clerk = openClerk({ secretKey: env.CLERK_SECRET_KEY, apiUrl: env.CLERK_API_URL })
  return {
    db: database.db,
    stripe: createStripe({
      secretKey: env.STRIPE_SECRET_KEY,
      apiBase: env.STRIPE_API_BASE,
      callLimit: createCallLimit({
        calls_per_second: env.STRIPE_CALLS_PER_SECOND,
        process: 'worker',
        ...(backend.kind === 'redis' && { redis: backend.connection }),
      }),
    }),
    organizations: createOrganizationMaker(clerk),
    clerk: createClerkDirectory(clerk),
    producer,
    log,
    metrics: createWorkerMetrics(database.pool),
    now,
    appUrl: env.APP_URL.replace(/\/+$/, ''),
    claimAfterMs: env.CLAIM_AFTER_MS,
    adjustmentLimit: env.SUPPORT_ADJUSTMENT_LIMIT,
    livemode: isLiveKey(env.STRIPE_SECRET_KEY),
  }
}
