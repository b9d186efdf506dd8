import { sql } from 'kysely'
import type { QueueName } from '../../../schema/inbox/queues/queues.ts'
import { processJob } from '../../../worker/consumers.ts'
import type { WorkerDependencies } from '../../../worker/dependencies.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { createTestDependencies, producerOf } from './test-worker.ts'

interface JobRun {
  readonly queue: QueueName
  readonly payload: Readonly<Record<string, unknown>>
  readonly at: Date
  readonly isKilled: boolean
}

export type Clockwork = ReturnType<typeof startClockwork>

/** As in production. */
const timing = { claimEveryMs: 15_000, claimAfterMs: 30_000 }

/** A worker, its queue and its claim, whose clock stands still until the test lets time pass. */
export function startClockwork(database: TestDatabase, overrides: Partial<WorkerDependencies> = {}) {
  let nowMs = Date.now()
  let queue: Pick<JobRun, 'queue' | 'payload'>[] = []
  const runs: JobRun[] = []
  const now = () => new Date(nowMs)
  const deps = createTestDependencies(database, {
    now,
    claimAfterMs: timing.claimAfterMs,
    producer: producerOf(
      async (name, _id, payload) => {
        queue.push({ queue: name, payload })
      },
      async (name) => queue.filter((job) => job.queue === name).length,
    ),
    ...overrides,
  })

  async function runSweep(isKilled: (run: number) => boolean): Promise<void> {
    for (const task of ['enqueue_due_rows', 'sync_due_invitations']) await processJob(deps, 'tasks', { task })
    const jobs = queue
    queue = []
    for (const job of jobs) {
      const run = { ...job, at: now(), isKilled: isKilled(runs.length) }
      runs.push(run)
      if (run.isKilled) void processJob(whileDying(deps), job.queue, job.payload)
      else await processJob(deps, job.queue, job.payload).catch(() => undefined)
    }
  }

  return {
    deps,
    runs,
    now,
    /** Passes time: the claim runs when rows are due, each job once. `isKilled` kills the worker in a job. */
    async pass(milliseconds: number, isKilled: (run: number) => boolean = () => false) {
      const untilMs = nowMs + milliseconds
      for (;;) {
        const dueMs = Math.max(nowMs, (await nextDue(database))?.getTime() ?? Number.POSITIVE_INFINITY)
        const claimMs =
          nowMs + timing.claimEveryMs * Math.max(1, Math.ceil((dueMs - nowMs) / timing.claimEveryMs))
        if (claimMs > untilMs) break
        nowMs = claimMs
        await runSweep(isKilled)
      }
      nowMs = untilMs
    },
  }
}

/** A worker that hears nothing any more, and of which nothing is heard. */
function whileDying(deps: WorkerDependencies): WorkerDependencies {
  const silence: unknown = new Proxy(() => undefined, {
    get: () => silence,
    apply: () => new Promise(() => undefined),
  })
  return {
    ...deps,
    stripe: silence as WorkerDependencies['stripe'],
    clerk: silence as WorkerDependencies['clerk'],
  }
}

async function nextDue(database: TestDatabase): Promise<Date | null> {
  const { rows } = await sql<{ due: Date | null }>`
    SELECT least(
      (SELECT min(next_try_at) FROM inbox_events WHERE state = 'received'),
      (SELECT min(next_try_at) FROM checkout_intents WHERE state IN ('created', 'open', 'awaiting_payment')),
      (SELECT min(next_try_at) FROM subscriptions WHERE sync_failed_at IS NULL AND status <> 'canceled'),
      (SELECT min(next_try_at) FROM team_invitations WHERE sync_failed_at IS NULL)) AS due`.execute(
    database.owner,
  )
  return rows[0]?.due ?? null
}
