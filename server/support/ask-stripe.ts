import type { CaseSummary } from '../../schema/api/support.ts'
import type { Database, DatabaseTransaction } from '../../schema/database/connect.ts'
import { findCursor } from '../../schema/inbox/cursors/cursors.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { outcomeOf } from '../../schema/support/acts.ts'
import { findComparison } from '../../schema/support/comparison.ts'
import { idInBatch, requestActs } from '../../schema/support/request-act.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'

export interface Visitor {
  readonly user_id: string
  /** A person at the terminal has neither, and asks by an act of their own. */
  readonly session_token?: string | null
  readonly requestLog?: RequestLog
}

/** What was heard longer ago is not known to be so still. */
const freshMs = 60_000

/**
 * Asks Stripe about the owner of an open case: a dry run of a resync, one a minute whoever has the case open,
 * and another one when an act has changed something since. The answer is in the case that is read next.
 */
export async function askStripe(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'producer' | 'metrics' | 'settings' | 'now'>,
  owner_id: string,
  { user_id, session_token, requestLog }: Visitor,
): Promise<void> {
  if (!session_token || !requestLog) return
  const { settings, now } = deps
  const { latest, changed_by } = await findComparison(deps.db, owner_id)
  const act_id = changed_by?.act_id ?? ''
  if (latest?.state === 'queued' || (isFresh(latest?.finished_at, now()) && act_id === '')) return
  const target = { kind: kindOf(owner_id), id: owner_id }
  // The same for all who ask within the minute, so that it is asked once.
  const id = idInBatch(`${Math.floor(now().getTime() / freshMs)} ${act_id}`, target)
  const limits = settings.adjustment_limits
  const asked = { id, kind: 'resync', targets: [target], params: { only: 'stripe' }, reason: '' } as const
  const { requested } = await requestActs(
    { ...deps, claimAfterMs: settings.claim_after_ms, limits },
    { ...asked, is_dry_run: true, requested_by: user_id, token: session_token },
  )
  const isNew = requested.some((one) => one.outcome === 'accepted' && one.act.state === 'queued')
  const job = { queue: 'support-acts', id: freshJobId(id), payload: { act_id: id } } as const
  if (isNew) await enqueue(deps, requestLog, job)
}

function isFresh(at: Date | null | undefined, now: Date): boolean {
  return at !== null && at !== undefined && Math.abs(now.getTime() - at.getTime()) < freshMs
}

/** What Stripe has said of the owner, and how far that is known to be so now. */
export async function readComparison(
  db: Database | DatabaseTransaction,
  owner_id: string,
  now: Date,
): Promise<CaseSummary['comparison']> {
  const { latest, done, differs, changed_by } = await findComparison(db, owner_id)
  const isKnown = isFresh(done?.finished_at, now) && !differs
  const listed_at = (await findCursor(db, 'stripe_events'))?.completed_at ?? null
  const heard = [listed_at, done?.finished_at].flatMap((at) => at ?? []).toSorted((a, b) => +b - +a)
  const state =
    differs && !changed_by
      ? 'differs'
      : latest?.state === 'queued'
        ? 'asking'
        : latest?.state === 'failed'
          ? latest.unavailable_since
            ? 'away'
            : 'failed'
          : isKnown
            ? 'agrees'
            : 'late'
  return {
    state,
    is_asking: latest?.state === 'queued',
    at: done?.finished_at?.toISOString() ?? null,
    stripe_heard_at: heard[0]?.toISOString() ?? null,
    outcome: state === 'differs' && done ? outcomeOf(done) : null,
    error: latest?.state === 'failed' ? latest.error : null,
  }
}
