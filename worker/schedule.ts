import type { Logger } from '../schema/log.ts'
import type { QueueProducer } from '../schema/queues/producer.ts'
import { jobOptionsOf } from '../schema/queues/queues.ts'

/** Deleting a queue deletes its schedule too, so it is rewritten this often. */
const rewriteEveryMs = 30_000

export interface Schedule {
  stop(): void
}

/**
 * Keeps the sweep running: BullMQ's job scheduler produces one `maintenance` job every `sweepEveryMs` however many workers
 * there are, and this process makes sure that the scheduler exists.
 */
export function keepSchedule(
  producer: QueueProducer,
  options: { sweepEveryMs: number; log: Logger; rewriteMs?: number },
): Schedule {
  const write = () =>
    producer
      .queue('maintenance')
      .upsertJobScheduler(
        'sweep',
        { every: options.sweepEveryMs },
        {
          name: 'maintenance',
          data: {},
          opts: jobOptionsOf('maintenance'),
        },
      )
      .catch((error: unknown) => options.log.warn({ err: error }, 'The sweep could not be scheduled'))
  void write()
  const timer = setInterval(write, options.rewriteMs ?? Math.min(rewriteEveryMs, options.sweepEveryMs * 2))
  return { stop: () => clearInterval(timer) }
}
