import { findInboxBacklog } from '../../schema/inbox/backlog.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'

/** `GET /metrics`, in Prometheus' text form. What is measured at the moment of asking is left out when its source is away. */
export function serveMetrics(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    await Promise.all([attempt('inbox', measureInbox(deps)), attempt('queues', measureQueues(deps))])
    ctx.set('content-type', deps.metrics.registry.contentType)
    ctx.set('cache-control', 'no-store')
    ctx.body = await deps.metrics.registry.metrics()

    async function attempt(what: string, measurement: Promise<void>): Promise<void> {
      const limit = { limit_ms: deps.settings.probe_limit_ms, what: `Measuring ${what}` }
      await withTimeLimit(measurement, limit).catch((error: unknown) => {
        ctx.state.trace.log.warn({ err: error }, 'Metrics are incomplete')
      })
    }
  }
}

async function measureInbox({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.inboxOldestSeconds.remove()
  metrics.inboxFailed.remove()
  const backlog = await findInboxBacklog(db)
  const oldest = backlog.oldest_received_at
  metrics.inboxOldestSeconds.set(oldest ? Math.max(0, (now().getTime() - oldest.getTime()) / 1000) : 0)
  metrics.inboxFailed.set(backlog.failed)
}

async function measureQueues({ producer, metrics }: Dependencies): Promise<void> {
  metrics.queueJobs.reset()
  for (const [queue, states] of Object.entries(await producer.counts())) {
    for (const [state, count] of Object.entries(states)) metrics.queueJobs.set({ queue, state }, count)
  }
}
