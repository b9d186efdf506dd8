import type { Logger } from '../../schema/log.ts'
import type { QueueProducer } from '../../schema/queues/producer.ts'
import { type JobPayload, jobOptionsOf } from '../../schema/queues/queues.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { reconcile } from '../reconciliation/run.ts'
import { checkUnconfirmedEvents } from './check-unconfirmed-events.ts'
import { compareSeats } from './compare-seats.ts'
import { deleteOldRows } from './delete-old-rows.ts'
import { readStripeEvents } from './read-stripe-events.ts'
import { syncKeptEvents } from './sync-kept-events.ts'

type Task = JobPayload<'scheduled-tasks'>['task']

interface ScheduledTask {
  readonly everyMs: number
  readonly run: (deps: WorkerDependencies) => Promise<unknown>
}

const minuteMs = 60_000

/** What runs by the clock beside the sweep, in a queue of its own so that the sweep does not wait for any of it. */
const tasks: Readonly<Record<Task, ScheduledTask>> = {
  read_stripe_events: {
    everyMs: minuteMs,
    // Those that the list does not show are asked for one by one, also when it could not be read.
    run: (deps) => readStripeEvents(deps).finally(() => checkUnconfirmedEvents(deps)),
  },
  sync_kept_events: { everyMs: minuteMs / 2, run: syncKeptEvents },
  // A run takes as many jobs as it needs; without one there is nothing to do.
  reconcile: { everyMs: minuteMs / 4, run: reconcile },
  compare_seats: { everyMs: minuteMs, run: compareSeats },
  delete_old_rows: { everyMs: 10 * minuteMs, run: deleteOldRows },
}

export async function runScheduledTask(deps: WorkerDependencies, task: Task): Promise<void> {
  await tasks[task].run(deps)
}

/** Whoever deletes a queue deletes its schedules too, so they are written again this often. */
const rewriteEveryMs = minuteMs / 2

/** Keeps the tasks running: each is one schedule of BullMQ's, which produces one job at a time however many workers there are. */
export function keepTaskSchedules(
  producer: Pick<QueueProducer, 'queue'>,
  options: { readonly log: Logger },
): { stop(): void } {
  const write = async () => {
    for (const [task, { everyMs }] of Object.entries(tasks)) {
      await producer.queue('scheduled-tasks').upsertJobScheduler(
        task,
        { every: everyMs },
        {
          name: 'scheduled-tasks',
          data: { task },
          // The next run is the next attempt.
          opts: {
            ...jobOptionsOf('scheduled-tasks'),
            removeOnComplete: { count: 20 },
            removeOnFail: { count: 100 },
          },
        },
      )
    }
  }
  const tryToWrite = () =>
    void write().catch((error: unknown) =>
      options.log.warn({ err: error }, 'The scheduled tasks could not be written'),
    )
  tryToWrite()
  const timer = setInterval(tryToWrite, rewriteEveryMs)
  return { stop: () => clearInterval(timer) }
}
