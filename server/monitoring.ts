import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { findingKinds } from '../schema/api/reconciliation.ts'
import { countFindings } from '../schema/billing/reconciliation/findings.ts'
import { findLastReconciled } from '../schema/billing/reconciliation/runs.ts'
import { findLastBackups } from '../schema/database/backups.ts'
import { findInboxBacklog } from '../schema/inbox/backlog.ts'
import { findCursor } from '../schema/inbox/cursors/cursors.ts'
import { findLatestProof } from '../schema/ledger/read/proofs.ts'
import { countFailedActs, countUnfinishedActs, sumUnapproved } from '../schema/support/acts.ts'
import { countProblems } from '../schema/support/problems.ts'
import { withTimeLimit } from '../schema/time-limit.ts'
import type { Dependencies } from './dependencies.ts'
import { findReasonsNotReady } from './routes/health.ts'

/** For operators only, on METRICS_PORT: sales figures and failure details must not be public. */
export function createMonitoringApp(deps: Dependencies): Koa {
  const router = new Router()
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/readyz', async (ctx) => {
    const reasons = await findReasonsNotReady(deps)
    const isReady = Object.keys(reasons).length === 0
    ctx.status = isReady ? 200 : 503
    ctx.body = { status: isReady ? 'ready' : 'not_ready', reasons }
  })
  router.get('/metrics', answerMetrics(deps))
  const app = new Koa()
  app.on('error', (error: Error) => deps.log.warn({ err: error }, 'Monitoring failed'))
  app.use(router.routes())
  return app
}

/** Prometheus text format. Gauges whose source does not answer are left out. */
function answerMetrics(deps: Dependencies): Middleware {
  return async (ctx) => {
    await Promise.all([
      attempt('inbox', measureInbox(deps)),
      attempt('what has failed', measureFailed(deps)),
      attempt('the reconciliation', measureReconciliation(deps)),
      attempt('backups', measureBackups(deps)),
      attempt('the reader of events', measureEventsReader(deps)),
      attempt('queues', measureQueues(deps)),
      attempt('findings', measureFindings(deps)),
      attempt('acts', measureActs(deps)),
      attempt('the last proof', measureProof(deps)),
    ])
    ctx.set('content-type', deps.metrics.registry.contentType)
    ctx.set('cache-control', 'no-store')
    ctx.body = await deps.metrics.registry.metrics()

    async function attempt(what: string, measurement: Promise<void>): Promise<void> {
      const limit = { limit_ms: deps.settings.probe_limit_ms, what: `Measuring ${what}` }
      await withTimeLimit(measurement, limit).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'Metrics are incomplete')
      })
    }
  }
}

async function measureInbox({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.inboxOldestSeconds.remove()
  const backlog = await findInboxBacklog(db)
  const oldest = backlog.oldest_received_at
  metrics.inboxOldestSeconds.set(oldest ? secondsSince(oldest, now) : 0)
}

/** More are not counted. */
const failedMax = 1000
const dayMs = 24 * 3600 * 1000

async function measureFailed({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.failedRows.reset()
  const at = now()
  const counted = { stuck_before: at, limit: failedMax, states: ['failed'] } as const
  for (const { kind, count } of await countProblems(db, counted))
    metrics.failedRows.set({ what: kind }, count)
  metrics.failedRows.set({ what: 'act' }, await countFailedActs(db, new Date(at.getTime() - dayMs)))
}

/** Left out until the first run was asked for, which a worker does as soon as it runs. */
async function measureReconciliation({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.reconciledSeconds.remove()
  const at = await findLastReconciled(db)
  if (at) metrics.reconciledSeconds.set(secondsSince(at, now))
}

/** What is backed up in no way that we hear of is left out. */
async function measureBackups({ db, metrics }: Dependencies): Promise<void> {
  metrics.backupSeconds.reset()
  for (const [what, at] of Object.entries(await findLastBackups(db))) {
    // By the clock of the machine: the product's may be the sandbox's.
    if (at)
      metrics.backupSeconds.set(
        { what },
        secondsSince(at, () => new Date()),
      )
  }
}

function secondsSince(at: Date, now: () => Date): number {
  return Math.max(0, (now().getTime() - at.getTime()) / 1000)
}

/** Left out until the first reading is complete. */
async function measureEventsReader({ db, metrics, now }: Dependencies): Promise<void> {
  metrics.eventsReaderLagSeconds.remove()
  const completedAt = (await findCursor(db, 'stripe_events'))?.completed_at
  if (!completedAt) return
  metrics.eventsReaderLagSeconds.set(secondsSince(completedAt, now))
}

async function measureProof({ db, metrics }: Dependencies): Promise<void> {
  metrics.ledgerProof.reset()
  const proof = await findLatestProof(db)
  if (proof) metrics.ledgerProof.set({ digest: proof.heads_digest.toString('hex') }, proof.transfer_id)
}

async function measureFindings({ db, metrics }: Dependencies): Promise<void> {
  for (const kind of findingKinds) metrics.findings.set({ kind }, 0)
  // A kind is counted once for each currency.
  for (const { kind, count } of await countFindings(db)) metrics.findings.inc({ kind }, count)
}

async function measureActs({ db, metrics, settings, now }: Dependencies): Promise<void> {
  metrics.unfinishedActs.reset()
  for (const [state, count] of Object.entries(await countUnfinishedActs(db))) {
    metrics.unfinishedActs.set({ state }, count)
  }
  metrics.unapprovedCredits.set(
    (await sumUnapproved(db, now())) / Math.max(1, settings.adjustment_limits.total),
  )
}

async function measureQueues({ producer, metrics }: Dependencies): Promise<void> {
  metrics.queueJobs.reset()
  for (const [queue, states] of Object.entries(await producer.counts())) {
    for (const [state, count] of Object.entries(states)) metrics.queueJobs.set({ queue, state }, count)
  }
}
