import { sql } from 'kysely'
import { findInboxBacklog } from '../../schema/inbox/backlog.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { everybody } from '../rights.ts'
import { plainRoute } from '../route.ts'

export const healthRoutes = [
  // Liveness only: checking the database here would restart every server in an outage.
  plainRoute({
    method: 'GET',
    path: '/healthz',
    rights: everybody,
    serve: () => (ctx) => {
      ctx.body = { status: 'ok' }
    },
  }),
  plainRoute({ method: 'GET', path: '/readyz', rights: everybody, serve: readyz }),
]

/** Whether this server can work. This answer is public; reasons are in the log and on the monitoring port. */
function readyz(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    const isReady = Object.keys(await findReasonsNotReady(deps)).length === 0
    ctx.status = isReady ? 200 : 503
    ctx.set('cache-control', 'no-store')
    ctx.body = { status: isReady ? 'ready' : 'not_ready' }
  }
}

/** What keeps this server from doing its work; nothing when it can. */
export async function findReasonsNotReady(deps: Dependencies): Promise<Record<string, string>> {
  if (deps.readiness.isStopping) return { process: 'is stopping' }
  const checks = { database: checkDatabase, queue: checkQueue, inbox: checkInbox }
  const answers = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await reasonOf(name, check(deps), deps)] as const,
    ),
  )
  return Object.fromEntries(answers.flatMap(([name, reason]) => (reason === null ? [] : [[name, reason]])))
}

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

/**
 * Only unprocessed events mean that the product does not work. An event that waits for its next try (its
 * purchase is missing, Stripe is unavailable) may wait for a day, which must not take every server off the
 * load balancer.
 */
async function checkInbox({ db, now, settings }: Dependencies): Promise<string | null> {
  const { oldest_untried_received_at: oldest } = await findInboxBacklog(db)
  const age_ms = oldest ? now().getTime() - oldest.getTime() : 0
  return age_ms > settings.backlog_limit_ms
    ? `the oldest event waits for ${Math.round(age_ms / 1000)} seconds`
    : null
}
