import { type ActKind, type ActOutcome, actOf } from '../../schema/api/support-acts.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { JobPayload } from '../../schema/inbox/queues/queues.ts'
import type { ActTransfer } from '../../schema/ledger/post/acts.ts'
import { listTransfersOfAct, markAct } from '../../schema/ledger/post/acts.ts'
import {
  claimableActs,
  failAct,
  findAct,
  finishAct,
  lockAct,
  type SupportActRow,
  targetOf,
} from '../../schema/support/acts.ts'
import { recordAudit } from '../../schema/support/audit.ts'
import { findTarget } from '../../schema/support/targets.ts'
import { withTransfers } from '../../schema/vendors/stripe/log-ids.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { syncSeatsWithClerk } from '../events/clerk/sync-seats-with-clerk.ts'
import { kindOf, reasonOf } from '../failures.ts'
import { tryRow } from '../jobs/try-row.ts'
import type { DoAct } from './act.ts'
import { adjust } from './adjust.ts'
import { requireAuthority } from './authority.ts'
import { cancelIntent } from './cancel-intent.ts'
import { cancelSubscription, endPlan, endPlanLater } from './cancel-subscription.ts'
import { withoutEffects } from './dry-run.ts'
import { forget } from './forget.ts'
import { invoiceChanges } from './invoice-changes.ts'
import { payInvoice, voidInvoice } from './open-invoice.ts'
import { outcomeOfAct, readPresentState } from './outcome.ts'
import { refund } from './refund.ts'
import { releaseHold } from './release-hold.ts'
import { replay } from './replay.ts'
import { resendInvitation } from './resend-invitation.ts'
import { resync } from './resync.ts'
import { endEditors, signOut } from './sign-out.ts'

const acts: Readonly<Record<ActKind, DoAct>> = {
  replay,
  resync,
  adjust,
  refund,
  cancel_intent: cancelIntent,
  cancel_subscription: cancelSubscription,
  end_plan: endPlan,
  end_plan_later: endPlanLater,
  pay_invoice: payInvoice,
  void_invoice: voidInvoice,
  invoice_changes: invoiceChanges,
  resend_invitation: resendInvitation,
  release_hold: releaseHold,
  sign_out: signOut,
  forget,
}

/**
 * For so long an act waits for Stripe or Clerk by itself; then a person is told, who may ask for it again.
 */
const longestWaitMs = 3600 * 1000

/**
 * Does what support asked for. While Stripe or Clerk is away the act waits and is tried again, like every
 * row; any other failure ends it, because a support person is waiting for the answer, and leaves everything
 * as it was. `claim` as in every job.
 */
export async function processSupportAct(
  deps: WorkerDependencies,
  { act_id, claim }: JobPayload<'support-acts'>,
): Promise<void> {
  const act = await findAct(deps.db, act_id)
  if (act?.state !== 'queued' || (claim !== undefined && claim !== act.claims)) return
  const row = {
    what: 'act',
    rows: claimableActs,
    key: { id: act.id },
    ids: idsOfAct(act),
    subject: act.owner_id,
    record: act,
    isScheduled: true,
    giveUp: (reason: string) => fail(deps, act, { error: reason, is_unavailable: false }),
  } as const
  await tryRow(deps, row, async () => {
    try {
      if (act.kind === 'sign_out' && !act.is_dry_run) await endEditors(deps.db, act)
      await requireAuthority(deps, act)
      await carryOut(deps, act)
    } catch (error) {
      if (mayWait(act, error, deps.now())) throw error
      deps.log.error({ err: error, ...idsOfAct(act) }, 'An act of support failed')
      const is_unavailable = kindOf(error) === 'unavailable'
      await fail(deps, act, { error: reasonOf(error), is_unavailable })
    }
  })
}

/** A dry run is answered within seconds, or not at all. */
function mayWait({ is_dry_run, unavailable_since }: SupportActRow, error: unknown, now: Date): boolean {
  if (kindOf(error) !== 'unavailable' || is_dry_run) return false
  return unavailable_since === null || now.getTime() - unavailable_since.getTime() < longestWaitMs
}

async function fail(
  deps: WorkerDependencies,
  act: SupportActRow,
  failure: { readonly error: string; readonly is_unavailable: boolean },
): Promise<void> {
  await retryTransaction(deps.db, async (trx) => {
    const isFailed = await failAct(trx, { id: act.id, ...failure, now: deps.now() })
    if (!isFailed || act.is_dry_run) return
    if (actOf(act.kind)) deps.metrics.supportActs.inc({ kind: act.kind, outcome: 'failed' })
    await recordAudit(trx, { ...entryOf(act, act.owner_id), outcome: 'failed', detail: failure.error })
  })
}

/** What an act does to a target that it can be done to; the server, which wrote it, may have been taken over. */
function doActOf({ kind, target_kind }: SupportActRow): DoAct {
  if (!actOf(kind)?.on.some((target) => target === target_kind))
    throw new PermanentError('not_an_act', { kind, target_kind })
  return acts[kind as ActKind]
}

/** How a dry run ends: an error takes back everything that was done. */
class DryRunOver extends Error {
  readonly finished: Finished
  constructor(finished: Finished) {
    super('A dry run is over')
    this.finished = finished
  }
}

interface Finished {
  readonly owner_id: string | null
  readonly outcome: ActOutcome
  readonly transfers: readonly ActTransfer[]
  readonly seats_changed_in: readonly string[]
}

async function carryOut(deps: WorkerDependencies, act: SupportActRow): Promise<void> {
  const finished = await retryTransaction(deps.db, async (trx): Promise<Finished | null> => {
    const locked = await lockAct(trx, act.id)
    if (locked?.state !== 'queued') return null
    await markAct(trx, act.id)
    const inside = { ...deps, db: trx }
    const done = await doActOf(act)(act.is_dry_run ? withoutEffects(inside) : inside, act)
    const target = targetOf(act)
    // It may have become known, or its organization may have been made, only now.
    const owner_id = (await findTarget(trx, target))?.owner_id ?? act.owner_id
    // No other session sees yet what the act has changed, and the rows are locked.
    const after = await readPresentState(trx, { target, owner_id })
    const before = await readPresentState(deps.db, { target, owner_id })
    const transfers = await listTransfersOfAct(trx, act.id)
    const outcome = outcomeOfAct({ owner_id, before, after, transfers, done })
    const result = { owner_id, outcome, transfers, seats_changed_in: done.seats_changed_in ?? [] }
    if (act.is_dry_run) throw new DryRunOver(result)
    await finishAct(trx, { id: act.id, owner_id: result.owner_id, outcome, now: deps.now() })
    const side = (when: 'before' | 'after') =>
      Object.fromEntries(
        outcome.changes.map(({ what, id, ...one }) => [id ? `${what} ${id}` : what, one[when]]),
      )
    await recordAudit(trx, {
      ...entryOf(act, result.owner_id),
      // An erasure has erased its own.
      ...(act.kind === 'forget' && { reason: null }),
      outcome: 'done',
      detail: outcome.note,
      before: side('before'),
      // It is there for good, so it has counts of what was erased, and no name.
      after: { ...side('after'), ...outcome.erasure?.removed },
    })
    return result
  }).catch(async (error: unknown) => {
    if (!(error instanceof DryRunOver)) throw error
    const { owner_id, outcome } = error.finished
    await finishAct(deps.db, { id: act.id, owner_id, outcome, now: deps.now() })
    deps.metrics.supportActs.inc({ kind: act.kind, outcome: 'dry_run' })
    return null
  })
  if (finished) {
    const outcome = finished.outcome.changed ? 'changed' : 'unchanged'
    deps.metrics.supportActs.inc({ kind: act.kind, outcome })
    const transfer_ids = [...new Set(finished.transfers.map(({ transfer_id }) => transfer_id))]
    const ids = withTransfers(idsOfAct(act), transfer_ids)
    deps.log.info({ ...ids, kind: act.kind, outcome }, 'Act of support done')
  }
  for (const organization of finished?.seats_changed_in ?? []) {
    await syncSeatsWithClerk(deps, { seats_changed_in: organization })
  }
}

/** Of the act and of what it is about, whose kind names the field: `event_id`, `intent_id` and so on. */
function idsOfAct(act: SupportActRow): Readonly<Record<string, string>> {
  const { kind, id } = targetOf(act)
  return { act_id: act.id, [`${kind}_id`]: id }
}

function entryOf(act: SupportActRow, owner_id: string | null) {
  const { requested_by: actor, id: act_id, kind: what, reason } = act
  return { actor, act_id, what, target: targetOf(act), owner_id, reason }
}
