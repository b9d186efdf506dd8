import type Stripe from 'stripe'
import { connectDatabase, type Database, type DatabaseConnection } from '../schema/database/connect.ts'
import type { ProcessEnvironment } from '../schema/env.ts'
import { connectQueueBackend } from '../schema/inbox/queues/backend.ts'
import type { Producer } from '../schema/inbox/queues/producer.ts'
import { createLogger, type Logger } from '../schema/log.ts'
import { createCallLimit } from '../schema/vendors/stripe/call-limit.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { isLiveKey } from '../schema/vendors/stripe/mode.ts'
import { type Clerk, createClerk } from './auth/clerk.ts'
import {
  createEditorTokens,
  createOperatorKeys,
  type EditorTokens,
  type VerifiedOperatorKeys,
} from './auth/editor-tokens.ts'
import { createSupportStaff, type SupportStaff } from './auth/support-staff.ts'
import { createEditorCalls, type EditorCalls } from './editor-calls.ts'
import { createServerMetrics, type ServerMetrics } from './metrics.ts'
import { createRateLimits, type RateLimits } from './rate-limits.ts'
import { ReopeningProducer } from './reopening-producer.ts'
import { type Settings, settingsOf } from './settings.ts'
import { createStripeCatalogue, type StripeCatalogue } from './stripe-catalogue.ts'

/** Everything that a route may use; tests can replace any of it. */
export interface Dependencies {
  readonly settings: Settings
  readonly db: Database
  readonly producer: Producer
  readonly stripe: Stripe
  readonly catalogue: StripeCatalogue
  readonly clerk: Clerk
  readonly isSupportStaff: SupportStaff
  readonly editorTokens: EditorTokens
  readonly operatorKeys: VerifiedOperatorKeys
  readonly editorCalls: EditorCalls
  readonly limits: RateLimits
  readonly metrics: ServerMetrics
  /** Set at the start of a shutdown, before the server stops answering the load balancer. */
  readonly readiness: { isStopping: boolean }
  readonly log: Logger
  readonly now: () => Date
}

/** The server only adds jobs, which is one quick statement each. */
const queuePoolMax = 4

/** Opens the services of the environment. Nothing connects before the first call. */
export function openDependencies(
  env: ProcessEnvironment,
  { now }: Pick<Dependencies, 'now'> = { now: () => new Date() },
): { deps: Dependencies; database: DatabaseConnection; close(): Promise<void> } {
  const log = createLogger({ process: 'server', level: env.LOG_LEVEL })
  const onError = (error: Error) => log.warn({ err: error }, 'A connection was lost')
  const settings = settingsOf(env)
  const database = connectDatabase({
    connectionString: env.DATABASE_URL,
    role: 'tidemark_server',
    livemode: isLiveKey(env.STRIPE_SECRET_KEY),
    mails: settings.mails,
    poolMax: env.DATABASE_POOL_MAX,
    onError,
  })
  const metrics = createServerMetrics(database.pool)
  const backend = connectQueueBackend({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    role: 'tidemark_server',
    poolMax: queuePoolMax,
    whenUnavailable: 'fail_fast',
    onError,
  })
  const producer = new ReopeningProducer(backend, { onError })
  const redis = backend.kind === 'redis' ? { redis: backend.connection } : {}
  const stripe = createStripe({
    secretKey: env.STRIPE_SECRET_KEY,
    apiBase: env.STRIPE_API_BASE,
    callLimit: createCallLimit({
      calls_per_second: env.STRIPE_CALLS_PER_SECOND,
      process: 'server',
      ...redis,
    }),
  })
  const clerk = createClerk({
    secretKey: env.CLERK_SECRET_KEY,
    apiUrl: env.CLERK_API_URL,
    authorizedParties: settings.own_origins,
  })
  const deps: Dependencies = {
    settings,
    db: database.db,
    producer,
    stripe,
    catalogue: createStripeCatalogue({ stripe, now }),
    clerk,
    isSupportStaff: createSupportStaff(clerk),
    editorTokens: createEditorTokens(database.db),
    operatorKeys: createOperatorKeys(database.db),
    editorCalls: createEditorCalls(database.db),
    limits: createRateLimits(redis),
    metrics,
    readiness: { isStopping: false },
    log,
    now,
  }
  return {
    deps,
    database,
    async close() {
      await producer.close()
      await backend.close()
      await database.close()
    },
  }
}
