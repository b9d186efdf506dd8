import { sql } from 'kysely'
import { findCursor } from '../../schema/cursors/cursors.ts'
import { findInboxBacklog } from '../../schema/inbox/backlog.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { everybody } from '../rights.ts'
import { plainRoute } from '../route.ts'

export const healthRoutes = [
  // The process is running. Nothing else is checked, or a short failure of the database would restart every server.
  plainRoute({
    method: 'GET',
    path: '/healthz',
    rights: everybody,
    serve: () => (ctx) => {
      ctx.body = { status: 'ok' }
    },
  }),
  plainRoute({ method: 'GET', path: '/readyz', rights: everybody, serve: readyz }),
  plainRoute({ method: 'GET', path: '/metrics', rights: everybody, serve: metrics }),
]

/** Whether this server can do its work, and if not, why. */
function readyz(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    const checks = { database: checkDatabase, queue: checkQueue, inbox: checkInbox }
    const answers = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await reasonOf(name, check(deps), deps)]),
    )
    const reasons = answers.filter(([, reason]) => reason !== null)
    ctx.status = reasons.length === 0 ? 200 : 503
    ctx.set('cache-control', 'no-store')
    ctx.body = { status: reasons.length === 0 ? 'ready' : 'not_ready', reasons: Object.fromEntries(reasons) }
  }
}

/** Details go to the log only, because the answer is public. */
async function reasonOf(
  name: string,
  check: Promise<string | null>,
  { log, settings }: Dependencies,
): Promise<string | null> {
  try {
    return await withTimeLimit(check, { limit_ms: settings.probe_limit_ms, what: `The check of ${name}` })
  } catch (error) {
    log.warn({ err: error, check: name }, 'Not ready')
    return 'does not answer'
  }
}

async function checkDatabase({ db }: Dependencies): Promise<null> {
  await sql`SELECT 1`.execute(db)
  return null
}

async function checkQueue({ producer }: Dependencies): Promise<null> {
  await producer.counts()
  return null
}

async function checkInbox({ db, now, settings }: Dependencies): Promise<string | null> {
  const { oldest_received_at } = await findInboxBacklog(db)
  const age_ms = oldest_received_at ? now().getTime() - oldest_received_at.getTime() : 0
  return age_ms > settings.backlog_limit_ms
    ? `the oldest event waits for ${Math.round(age_ms / 1000)} seconds`
    : null
}

/** In Prometheus' text format. Gauges that are read on demand are left out when their source does not answer. */
function metrics(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    await Promise.all([
      attempt('inbox', measureInbox(deps)),
      attempt('the reader of events', measureEventsReader(deps)),
      attempt('queues', measureQueues(deps)),
    ])
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

/** Left out until the first reading is complete. */
async function measureEventsReader({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.eventsReaderLagSeconds.remove()
  const completedAt = (await findCursor(db, 'stripe_events'))?.completed_at
  if (!completedAt) return
  metrics.eventsReaderLagSeconds.set(Math.max(0, (now().getTime() - completedAt.getTime()) / 1000))
}

async function measureQueues({ producer, metrics }: Dependencies): Promise<void> {
  metrics.queueJobs.reset()
  for (const [queue, states] of Object.entries(await producer.counts())) {
    for (const [state, count] of Object.entries(states)) metrics.queueJobs.set({ queue, state }, count)
  }
}
