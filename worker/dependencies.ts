import { createTransport, type Transporter } from 'nodemailer'
import type Stripe from 'stripe'
import type { Brand } from '../schema/catalogue/brand.ts'
import type { Database, DatabaseConnection } from '../schema/database/connect.ts'
import { actLimitsOf, brandOf, type ProcessEnvironment } from '../schema/env.ts'
import type { QueueBackend } from '../schema/inbox/queues/backend.ts'
import type { Producer } from '../schema/inbox/queues/producer.ts'
import type { Logger } from '../schema/log.ts'
import { ownOrigins } from '../schema/origins.ts'
import type { ActLimits } from '../schema/support/acts.ts'
import { openClerk } from '../schema/vendors/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../schema/vendors/clerk/directory.ts'
import { createOrganizationMaker, type OrganizationMaker } from '../schema/vendors/clerk/organizations.ts'
import { createTokenVerifier, type VerifyToken } from '../schema/vendors/clerk/tokens.ts'
import { createCallLimit } from '../schema/vendors/stripe/call-limit.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { isLiveKey } from '../schema/vendors/stripe/mode.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'

/** What a job is given; tests give it their own. */
export interface WorkerDependencies {
  readonly db: Database
  readonly stripe: Stripe
  readonly organizations: OrganizationMaker
  readonly clerk: ClerkDirectory
  /** Of the session tokens with which support staff ask for acts. */
  readonly verifyToken: VerifyToken
  readonly producer: Pick<Producer, 'add' | 'addMany' | 'countWaiting'>
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly now: () => Date
  /** The application's address, to which the links in invitations lead. */
  readonly appUrl: string
  /** How old a row must be before the claim enqueues it, in milliseconds. */
  readonly claimAfterMs: number
  /** Credits that support may adjust within a day without a second person. */
  readonly actLimits: ActLimits
  /** Null where no mail is sent. */
  readonly mailer: { readonly transport: Transporter; readonly brand: Brand } | null
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
  const address = { secretKey: env.CLERK_SECRET_KEY, apiUrl: env.CLERK_API_URL }
  const clerk = openClerk(address)
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
    verifyToken: createTokenVerifier({
      ...address,
      authorizedParties: ownOrigins(env.APP_URL, { production: env.NODE_ENV === 'production' }),
    }),
    producer,
    log,
    metrics: createWorkerMetrics(database.pool),
    now,
    appUrl: env.APP_URL.replace(/\/$/, ''),
    claimAfterMs: env.CLAIM_AFTER_MS,
    actLimits: actLimitsOf(env),
    mailer: env.SMTP_URL ? { transport: createTransport(env.SMTP_URL), brand: brandOf(env) } : null,
    livemode: isLiveKey(env.STRIPE_SECRET_KEY),
  }
}
