import { openClerk } from '../../schema/clerk/client.ts'
import { createClerkDirectory } from '../../schema/clerk/directory.ts'
import { createOrganizationMaker } from '../../schema/clerk/organizations.ts'
import { openClock } from '../../schema/clock.ts'
import { connectDatabase } from '../../schema/database/connect.ts'
import { processEnvironment } from '../../schema/env.ts'
import { isLiveKey } from '../../schema/stripe/mode.ts'
import { type Dependencies, openDependencies } from '../../server/dependencies.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'
import { createWorkerMetrics } from '../../worker/metrics.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../sandbox-environment.ts'

export interface OpenProduct {
  /** Reads, and writes down what is asked for, with the rights of the server. */
  readonly server: Dependencies
  /** Does it, with the rights of the worker. */
  readonly worker: WorkerDependencies
}

const poolMax = 6

/** Opens what server and worker need around a database, for one command; without keys, the sandbox that `npm start` runs. */
export async function openProduct(databaseUrl: string, running: AsyncDisposableStack): Promise<OpenProduct> {
  const env = processEnvironment({
    ...(process.env.NODE_ENV === 'production' ? {} : sandboxVariables()),
    // What a command says is its output.
    LOG_LEVEL: 'silent',
    ...withoutEmpty(process.env),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_MAX: String(poolMax),
  })
  const clock = openClock(env)
  running.defer(() => clock.stop())
  await clock.ready
  const { deps: server, close } = openDependencies(env, { now: clock.now })
  running.defer(close)
  const livemode = isLiveKey(env.STRIPE_SECRET_KEY)
  const database = connectDatabase({
    connectionString: databaseUrl,
    role: 'tidemark_worker',
    livemode,
    poolMax,
    onError: () => undefined,
  })
  running.defer(() => database.close())
  const clerk = openClerk({ secretKey: env.CLERK_SECRET_KEY, apiUrl: env.CLERK_API_URL })
  const worker: WorkerDependencies = {
    db: database.db,
    stripe: server.stripe,
    organizations: createOrganizationMaker(clerk),
    clerk: createClerkDirectory(clerk),
    producer: server.producer,
    log: server.log,
    metrics: createWorkerMetrics(database.pool),
    now: clock.now,
    appUrl: server.settings.app_url,
    sweepAfterMs: env.SWEEP_AFTER_MS,
    adjustmentLimit: env.SUPPORT_ADJUSTMENT_LIMIT,
    livemode,
  }
  return { server, worker }
}

function sandboxVariables() {
  const { STRIPE_SECRET_KEY, CLERK_SECRET_KEY, SANDBOX_STRIPE_PORT, SANDBOX_CLERK_PORT } = process.env
  return {
    ...(!STRIPE_SECRET_KEY && stripeSandboxVariables({ stripePort: Number(SANDBOX_STRIPE_PORT || 4242) })),
    ...(!CLERK_SECRET_KEY && clerkSandboxVariables({ clerkPort: Number(SANDBOX_CLERK_PORT || 4243) })),
  }
}

function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
}
