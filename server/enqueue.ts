import type { JobPayload, QueueName } from '../schema/inbox/queues/queues.ts'
import { withTimeLimit } from '../schema/time-limit.ts'
import { currentSpan } from '../schema/tracing.ts'
import { tryAgain } from '../schema/try-again.ts'
import type { RequestLog } from './context.ts'
import type { Dependencies } from './dependencies.ts'

/** A queue that fails over is there again in a moment; its claim would come half a minute later. */
const waits_ms = [100, 400]

/**
 * Asks the worker to process a row now. A queue that is unavailable or hangs is logged and counted, and does
 * not fail the request: the row is in Postgres, and the claim enqueues it again. Returns whether it is in the
 * queue.
 */
export async function enqueue<Name extends QueueName>(
  deps: Pick<Dependencies, 'producer' | 'metrics' | 'settings'>,
  requestLog: RequestLog,
  job: { readonly queue: Name; readonly id: string; readonly payload: JobPayload<Name> },
): Promise<boolean> {
  const span = currentSpan()
  const origin = { request_id: requestLog.request_id, ...(span && { traceparent: span.traceparent }) }
  try {
    const add = () => deps.producer.add(job.queue, job.id, job.payload, origin)
    await withTimeLimit(tryAgain(add, waits_ms), {
      limit_ms: deps.settings.enqueue_limit_ms,
      what: `Enqueueing in ${job.queue}`,
    })
    return true
  } catch (error) {
    deps.metrics.enqueueFailures.inc({ queue: job.queue })
    requestLog.log.warn(
      { err: error, queue: job.queue, job_id: job.id },
      'Job not enqueued; its row will be claimed',
    )
    return false
  }
}
