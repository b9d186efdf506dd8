import { recordHeartbeat } from '../../schema/inbox/cursors/cursors.ts'
import type { QueueProducer } from '../../schema/inbox/queues/producer.ts'
import { jobOptionsOf } from '../../schema/inbox/queues/queues.ts'
import type { Logger } from '../../schema/log.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { reconcile } from '../reconciliation/run.ts'
import { compareSeats } from './compare-seats.ts'
import { deleteOldRows } from './delete-old-rows.ts'
import { endHolds } from './end-holds.ts'
import { enqueueDueRows } from './enqueue-due-rows.ts'
import { readStripeEvents } from './read-stripe-events.ts'
import { sendMails } from './send-mails.ts'
import { syncDueInvitations } from './sync-invitations.ts'

interface Task {
  /** How often it runs. Left out, as often as rows are claimed (`CLAIM_EVERY_MS`). */
  readonly every_ms?: number
  readonly run: (deps: WorkerDependencies) => Promise<unknown>
}

const minuteMs = 60_000

/**
 * What runs on a schedule, by its name. A worker has a slot for each, so none waits for another; of each
 * there is one run at a time, however many workers there are.
 */
const tasks = {
  enqueue_due_rows: { run: enqueueDueRows },
  sync_due_invitations: { run: syncDueInvitations },
  send_mails: { run: sendMails },
  // Support is told when it stops.
  say_alive: { every_ms: minuteMs / 12, run: ({ db }) => recordHeartbeat(db) },
  // Stripe allows 10,000 reads in 30 days at least (https://docs.stripe.com/rate-limits): these are 8,640.
  read_stripe_events: { every_ms: 5 * minuteMs, run: readStripeEvents },
  // A run takes as many jobs as it needs; without one there is nothing to do.
  reconcile: { every_ms: minuteMs / 4, run: reconcile },
  end_holds: { every_ms: minuteMs, run: endHolds },
  compare_seats: { every_ms: minuteMs, run: compareSeats },
  delete_old_rows: { every_ms: 10 * minuteMs, run: deleteOldRows },
} as const satisfies Readonly<Record<string, Task>>

type TaskName = keyof typeof tasks
export const taskNames = Object.keys(tasks) as TaskName[]

function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(tasks, name)
}

/** Runs a task. One that this version does not have was scheduled by another, and is left to its workers. */
export async function runTask(deps: WorkerDependencies, name: string): Promise<void> {
  if (isTaskName(name)) await tasks[name].run(deps)
  else deps.log.warn({ task: name }, 'This version has no such task')
}

/** Deleting a queue deletes its schedules too, so they are written again this often. */
const rewriteEveryMs = minuteMs / 2

/**
 * Keeps the tasks running: each is one schedule of BullMQ's, which produces one job at a time however many
 * workers there are. At the beginning the schedules of tasks that this version does not have are deleted; the
 * workers of a newer version write theirs again.
 */
export function keepSchedule(
  producer: Pick<QueueProducer, 'queue'>,
  options: { readonly claim_every_ms: number; readonly log: Logger; readonly rewrite_ms?: number },
): { stop(): void } {
  const queue = producer.queue('tasks')
  const deleteOthers = async () => {
    for (const { key } of await queue.getJobSchedulers()) {
      if (!isTaskName(key)) await queue.removeJobScheduler(key)
    }
  }
  const write = async () => {
    const all: [string, Task][] = Object.entries(tasks)
    for (const [task, { every_ms = options.claim_every_ms }] of all) {
      await queue.upsertJobScheduler(
        task,
        { every: every_ms },
        {
          name: 'tasks',
          data: { task },
          // The next run is the next attempt.
          opts: { ...jobOptionsOf('tasks'), removeOnComplete: { count: 20 }, removeOnFail: { count: 100 } },
        },
      )
    }
  }
  const warn = (error: unknown) => options.log.warn({ err: error }, 'The schedule could not be written')
  const tryToWrite = () => void write().catch(warn)
  void deleteOthers().catch(warn).then(tryToWrite)
  const timer = setInterval(
    tryToWrite,
    options.rewrite_ms ?? Math.min(rewriteEveryMs, options.claim_every_ms * 2),
  )
  return { stop: () => clearInterval(timer) }
}
