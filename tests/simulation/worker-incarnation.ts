import { pino } from 'pino'
import { connectDatabase } from '../../schema/database/connect.ts'
import type { QueueProducer } from '../../schema/inbox/queues/producer.ts'
import { jobOptionsOf } from '../../schema/inbox/queues/queues.ts'
import { ownOrigins } from '../../schema/origins.ts'
import { openClerk } from '../../schema/vendors/clerk/client.ts'
import { createClerkDirectory } from '../../schema/vendors/clerk/directory.ts'
import { createOrganizationMaker } from '../../schema/vendors/clerk/organizations.ts'
import { createTokenVerifier } from '../../schema/vendors/clerk/tokens.ts'
import { startConsumers } from '../../worker/consumers.ts'
import { createWorkerMetrics } from '../../worker/metrics.ts'
import { startFaultProxy } from '../support/faults/fault-proxy.ts'
import { openQueues } from '../support/services/queues.ts'
import { testAppUrl } from '../support/services/sandbox.ts'
import { impatientStripe } from '../support/services/stripe.ts'
import { waitUntil } from '../support/wait-until.ts'

const lavish = { asker: 5000, total: 10_000_000 }

export interface IncarnationOptions {
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly stripeUrl: string
  readonly clerkApiUrl: string
  readonly now: () => Date
}

/**
 * One life of a worker, in this process for speed. All its wires go through proxies; when they are cut it can
 * read and write nothing any more, which from outside is what kill -9 looks like. A dead one never comes
 * back: another is started.
 */
export type WorkerIncarnation = Awaited<ReturnType<typeof startIncarnation>>

/**
 * Short, so that jobs of the dead are found soon, but no shorter than a job lasts on a busy machine: it would
 * be claimed, or found stalled, again and again while it runs.
 */
export const timing = { lockMs: 2000, stalledMs: 500, claimEveryMs: 500, claimAfterMs: 5000 }

export async function startIncarnation(options: IncarnationOptions) {
  let isDead = false
  const proxy = await startFaultProxy(options.databaseUrl)
  const redisProxy = options.redisUrl ? await startFaultProxy(options.redisUrl) : undefined
  const databaseUrl = proxy.url(options.databaseUrl)
  const onError = () => undefined

  const database = connectDatabase({
    connectionString: databaseUrl,
    role: 'tidemark_worker',
    poolMax: 10,
    onError,
  })
  const redisUrl = options.redisUrl && redisProxy?.url(options.redisUrl)
  const { backend, producer } = openQueues({ databaseUrl, redisUrl, poolMax: 12 })
  const log = pino({ level: 'silent' })
  const address = { secretKey: 'sk_test_sandbox', apiUrl: options.clerkApiUrl }
  const clerk = openClerk(address)
  const consumers = startConsumers(
    {
      db: database.db,
      stripe: impatientStripe(options.stripeUrl),
      organizations: createOrganizationMaker(clerk),
      clerk: createClerkDirectory(clerk),
      verifyToken: createTokenVerifier({
        ...address,
        authorizedParties: ownOrigins(testAppUrl, { production: false }),
      }),
      producer,
      log,
      metrics: createWorkerMetrics(),
      now: options.now,
      appUrl: 'http://localhost:3000',
      claimAfterMs: timing.claimAfterMs,
      actLimits: { adjust: lavish, refund: lavish },
      mailer: null,
      livemode: false,
    },
    backend,
    timing,
  )
  const schedule = keepClaiming(producer, timing.claimEveryMs)

  const crash = () => {
    isDead = true
    schedule.stop()
    proxy.cut()
    redisProxy?.cut()
  }
  return {
    proxy,
    /** Cuts every wire. */
    crash,
    get isDead(): boolean {
      return isDead
    },
    /** Ends it in any state. */
    async discard() {
      schedule.stop()
      if (isDead) {
        // Its connections have to notice that they are cut before their listeners are taken away.
        await waitUntil(() => database.pool.totalCount === 0, 'the dead worker’s connections to be gone')
        const closing = [consumers.close(true), producer.close(), backend.close(), database.close()]
        void Promise.allSettled(closing)
      } else {
        await consumers.close()
        await producer.close()
        await Promise.all([backend.close(), database.close()])
      }
      await Promise.all([proxy.close(), redisProxy?.close()])
    },
  }
}

/** The two tasks of the schedule that claim rows; the simulation runs the others when its history says so. */
function keepClaiming(producer: Pick<QueueProducer, 'queue'>, every: number): { stop(): void } {
  const write = () => {
    for (const task of ['enqueue_due_rows', 'sync_due_invitations']) {
      producer
        .queue('tasks')
        .upsertJobScheduler(task, { every }, { name: 'tasks', data: { task }, opts: jobOptionsOf('tasks') })
        .catch(() => undefined)
    }
  }
  write()
  const timer = setInterval(write, 1000)
  return { stop: () => clearInterval(timer) }
}
