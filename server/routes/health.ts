import { sql } from 'kysely'
import { build } from '../../schema/build.ts'
import { isDatabaseUnavailable } from '../../schema/database/unavailable.ts'
import { findOldestUnapplied } from '../../schema/inbox/backlog.ts'
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
    limit: null,
    rights: everybody,
    serve: () => (ctx) => {
      ctx.body = { status: 'ok', version: build.version }
    },
  }),
  plainRoute({ method: 'GET', path: '/readyz', limit: null, rights: everybody, serve: readyz }),
]

/**
 * Whether this server can work. This answer is public; reasons are in the log and on the monitoring port.
 * What was found answers for a second, so that strangers who ask often cost the database nothing.
 */
function readyz(deps: Dependencies): AppMiddleware {
  let latest: { readonly at: number; readonly reasons: Promise<Record<string, string>> } | undefined
  return async (ctx) => {
    const at = performance.now()
    if (!latest || at - latest.at >= deps.settings.ready_answer_ms)
      latest = { at, reasons: findReasonsNotReady(deps) }
    const isReady = !deps.readiness.isStopping && Object.keys(await latest.reasons).length === 0
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

/**
 * Whether it answers and takes writes: a sort that does not fit into memory writes to the disk. A session that
 * is read-only may lead to a peer that has lost its role: to raise what a write would get there replaces all
 * connections, and the second try has a new one.
 */
async function checkDatabase(deps: Dependencies, tries = 2): Promise<string | null> {
  let isReadOnly = false
  try {
    return await deps.db.transaction().execute(async (trx) => {
      await sql`SET LOCAL work_mem = '64kB'`.execute(trx)
      const { rows } = await sql<{ is_read_only: boolean }>`
        SELECT current_setting('transaction_read_only')::boolean AS is_read_only, count(*)
        FROM (SELECT n FROM generate_series(1, 5000) n ORDER BY -n OFFSET 0) spilled`.execute(trx)
      isReadOnly = rows[0]?.is_read_only === true
      if (isReadOnly) await sql`DO $$ BEGIN RAISE read_only_sql_transaction; END $$`.execute(trx)
      return null
    })
  } catch (error) {
    if (tries > 1 && isDatabaseUnavailable(error)) return checkDatabase(deps, tries - 1)
    if (isReadOnly) return 'is read-only'
    throw error
  }
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
  const oldest = (await findOldestUnapplied(db, 'untried'))?.received_at ?? null
  const age_ms = oldest ? now().getTime() - oldest.getTime() : 0
  return age_ms > settings.backlog_limit_ms
    ? `the oldest event waits for ${Math.round(age_ms / 1000)} seconds`
    : null
}
