import { sql } from 'kysely'
import { findInboxBacklog } from '../../schema/inbox/backlog.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'

/** `GET /healthz`: the process is up. Nothing else is asked, or a database's hiccup would restart every server. */
export const healthz: AppMiddleware = (ctx) => {
  ctx.body = { status: 'ok' }
}

/** `GET /readyz`: whether this server can do its work, and what is wrong when it cannot. */
export function readyz(deps: Dependencies): AppMiddleware {
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

/** The details are in the log: this answer is public. */
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
