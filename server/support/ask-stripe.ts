import { type Kysely, sql } from 'kysely'
import type { CaseSummary } from '../../schema/api/support.ts'
import type { DB } from '../../schema/database/types.ts'
import { findCursor } from '../../schema/inbox/cursors/cursors.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { outcomeOf, type SupportActRow } from '../../schema/support/acts.ts'
import { idInBatch, requestActs } from '../../schema/support/request-act.ts'
import { listSubjects } from '../../schema/support/timeline.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'

/** What was heard longer ago is not known to be so still. */
const freshMs = 60_000

/**
 * Asks Stripe about the owner of an open case: a dry run of a resync, one a minute for all who have the case open,
 * and another one when an act may have mended what was found. At the terminal a person asks by an act.
 */
export async function askStripe(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'producer' | 'metrics' | 'settings' | 'now'>,
  owner_id: string,
  asker: {
    readonly user_id: string
    readonly session_token?: string | null
    readonly requestLog?: RequestLog
  },
): Promise<void> {
  const { user_id: requested_by, session_token: token, requestLog } = asker
  if (!token || !requestLog) return
  const { claim_after_ms: claimAfterMs, act_limits: limits } = deps.settings
  const now = deps.now()
  const { latest, act_since } = await findComparison(deps.db, owner_id)
  if (latest?.state === 'queued' || (isFresh(latest, now) && !act_since)) return
  const target = { kind: kindOf(owner_id), id: owner_id }
  // The same for all who ask within the minute, so that it is asked once.
  const id = idInBatch(`${Math.floor(now.getTime() / freshMs)} ${act_since}`, target)
  const resync = { kind: 'resync', targets: [target], params: { only: 'stripe' }, reason: '' } as const
  const asked = { ...resync, id, is_dry_run: true, requested_by, token }
  const [one] = (await requestActs({ ...deps, claimAfterMs, limits }, asked)).requested
  if (one?.outcome === 'accepted' && one.act.state === 'queued')
    await enqueue(deps, requestLog, { queue: 'support-acts', id: freshJobId(id), payload: { act_id: id } })
}

/** What Stripe has said of the owner, and how far that is known to be so now. */
export async function readComparison(
  db: Kysely<DB>,
  owner_id: string,
  now: Date,
): Promise<CaseSummary['comparison']> {
  const { latest, done, outcome } = await findComparison(db, owner_id)
  const isAgreed = isFresh(done, now) && (!done?.is_dry_run || outcomeOf(done)?.changed === false)
  const isAway = latest?.state === 'failed' && latest.unavailable_since !== null
  const listed_at = isAway ? (await findCursor(db, 'stripe_events'))?.completed_at : null
  const heard = [listed_at, done?.finished_at].flatMap((at) => at?.toISOString() ?? []).toSorted()
  const states = { queued: 'asking', failed: 'failed', done: isAgreed ? 'agrees' : 'late' } as const
  const state = states[(latest?.state ?? 'done') as keyof typeof states]
  return { state, at: heard.at(-1) ?? null, outcome, error: latest?.error ?? null }
}

function isFresh(act: SupportActRow | undefined, now: Date): boolean {
  return Boolean(act?.finished_at && Math.abs(now.getTime() - act.finished_at.getTime()) < freshMs)
}

/** The last resync that was asked for, and the last one that was done: a dry run has compared as much. */
async function findComparison(db: Kysely<DB>, owner_id: string) {
  const asked = db
    .selectFrom('support_acts')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where('kind', '=', 'resync')
    .where((eb) => eb.or([eb('is_dry_run', '=', true), eb('state', '=', 'done')]))
    .orderBy('requested_at', 'desc')
    .limit(1)
  const latest = await asked.executeTakeFirst()
  const done = await asked.where('state', '=', 'done').executeTakeFirst()
  const outcome = done?.is_dry_run ? outcomeOf(done) : null
  if (!done || !outcome?.changed) return { latest, done, outcome: null, act_since: '' }
  // An act or an event may have mended since what was found.
  const { rows } = await sql<{ act_since: string }>`
    SELECT id::text AS act_since FROM support_acts
    WHERE owner_id = ${owner_id} AND NOT is_dry_run AND state = 'done' AND finished_at >= ${done.finished_at}
    UNION ALL SELECT '' FROM inbox_events
    WHERE subject = ANY (${await listSubjects(db, owner_id)}) AND finished_at >= ${done.finished_at}
    LIMIT 1`.execute(db)
  return { latest, done, outcome: rows[0] ? null : outcome, act_since: rows[0]?.act_since ?? '' }
}
