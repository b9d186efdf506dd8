import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type ActKind,
  type ActParams,
  type ActTarget,
  actOf,
  amountOf,
  reasonProblem,
} from '../api/support-acts.ts'
import type { Database } from '../database/connect.ts'
import { retryTransaction } from '../database/retry.ts'
import { withoutAddresses } from '../mail-addresses.ts'
import type { ClerkDirectory } from '../vendors/clerk/directory.ts'
import { type ActLimits, insertAct, needsApproval, type SupportActRow, targetOf } from './acts.ts'
import { isOwn, mayNotBeOwn } from './approval.ts'
import { recordAudit } from './audit.ts'
import { type FoundTarget, findTarget } from './targets.ts'

/** What support asks for, of one target or of several. */
export interface AskedActs {
  /** Of the act, or of the batch when there are several targets. */
  readonly id: string
  readonly kind: ActKind
  readonly targets: readonly ActTarget[]
  readonly params: ActParams
  readonly reason: string
  readonly is_dry_run: boolean
  readonly requested_by: string
  /** Their session token; null at the terminal. */
  readonly token: string | null
}

interface AskedAct extends Omit<AskedActs, 'targets'> {
  readonly batch_id: string | null
  readonly target: ActTarget
  /** How many targets are asked for at once. */
  readonly targets: number
}

export type RefusalCode =
  | 'reason_required'
  | 'target_not_found'
  | 'not_possible'
  | 'act_under_way'
  | 'act_id_reused'

export type RequestedAct =
  | {
      readonly outcome: 'accepted'
      readonly act: SupportActRow
      /** A second person has to agree; of a dry run: would have to. */
      readonly needs_approval: boolean
    }
  | {
      readonly outcome: 'refused'
      readonly target: ActTarget
      readonly code: RefusalCode
      readonly error: string
      /** The one that is under way. */
      readonly other?: SupportActRow
    }

export interface RequestDependencies {
  /** The server's login, or at the terminal the one that owns the tables. */
  readonly db: Database
  readonly clerk: Pick<ClerkDirectory, 'findMembership'>
  readonly now: () => Date
  /** When the claim picks up an act that has not been done. */
  readonly claimAfterMs: number
  readonly limits: ActLimits
}

/** An act on each target, once each; a refusal does not stop the rest. Throws ClerkUnavailableError. */
export async function requestActs(
  deps: RequestDependencies,
  asked: AskedActs,
): Promise<{ readonly batch_id: string | null; readonly requested: readonly RequestedAct[] }> {
  const unique = new Map(asked.targets.map((target) => [`${target.kind}/${target.id}`, target]))
  const batch_id = asked.targets.length > 1 ? asked.id : null
  const requested: RequestedAct[] = []
  for (const target of unique.values()) {
    const id = batch_id === null ? asked.id : idInBatch(batch_id, target)
    requested.push(await requestAct(deps, { ...asked, id, batch_id, target, targets: asked.targets.length }))
  }
  return { batch_id, requested }
}

/**
 * Writes down what support asks for, or why it is refused: every request is in the audit log, and a refusal
 * but that of a dry run. The same id again gets the same act and no second entry. Throws
 * ClerkUnavailableError.
 */
async function requestAct(deps: RequestDependencies, asked: AskedAct): Promise<RequestedAct> {
  const found = await findTarget(deps.db, asked.target)
  const refusal = refusalOf(asked, found) ?? (await refusalOfOwn(deps, asked, found))
  if (refusal || !found) return refuse(deps, asked, found, refusal ?? notFound)
  const { target, owner_id } = found
  const { params, is_dry_run, token } = asked
  const row = {
    id: asked.id,
    batch_id: asked.batch_id,
    finding_id: asked.target.finding_id ?? null,
    kind: asked.kind,
    target,
    owner_id,
    params,
    reason: asked.reason,
    is_dry_run,
    requested_by: asked.requested_by,
    next_try_at: new Date(deps.now().getTime() + deps.claimAfterMs),
  }
  const request = {
    amount: asked.targets * amountOf(asked),
    limits: deps.limits,
  }
  const requested = await retryTransaction(deps.db, (trx) => insertAct(trx, row, { ...request, token }))
  if (requested.outcome === 'under_way') {
    const { act: other } = requested
    const error = `${other.requested_by} asked for an act that contradicts it at ${other.requested_at.toISOString()}, which is under way`
    return refuse(deps, asked, found, { code: 'act_under_way', error, other })
  }
  if (requested.outcome === 'known' && !isSame(requested.act, { asked, found })) {
    return refuse(deps, asked, found, { code: 'act_id_reused', error: 'This id was used for another act' })
  }
  const { act } = requested
  return {
    outcome: 'accepted',
    act,
    needs_approval: is_dry_run
      ? await needsApproval(deps.db, act, request)
      : act.state === 'waiting_for_approval',
  }
}

/** The id of one act of a batch: asking for the batch again names the same acts. */
function idInBatch(batchId: string, { kind, id }: ActTarget): string {
  const hash = createHash('sha256').update(`${batchId}/${kind}/${id}`).digest('hex')
  // Version 8 (RFC 9562, section 5.8): a custom layout.
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

interface Refusal {
  readonly code: RefusalCode
  readonly error: string
  readonly other?: SupportActRow
}

const notFound: Refusal = {
  code: 'target_not_found',
  error: 'Not found, or already deleted',
}

function refusalOf(asked: AskedAct, found: FoundTarget | null): Refusal | null {
  const problem = asked.is_dry_run ? null : reasonProblem(asked.reason)
  if (problem) return { code: 'reason_required', error: problem }
  if (!found) return notFound
  const { target } = found
  if (!actOf(asked.kind)?.on.includes(target.kind)) {
    return { code: 'not_possible', error: `This act is not possible for ${article(target.kind)}` }
  }
  return null
}

async function refusalOfOwn(
  { clerk }: RequestDependencies,
  asked: AskedAct,
  found: FoundTarget | null,
): Promise<Refusal | null> {
  if (!mayNotBeOwn(asked) || !(await isOwn(clerk, asked.requested_by, found?.owner_id ?? null))) return null
  return { code: 'not_possible', error: 'It is your own account or organization: a colleague has to ask' }
}

function article(kind: string): string {
  return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

async function refuse(
  deps: RequestDependencies,
  asked: AskedAct,
  found: FoundTarget | null,
  refusal: Refusal,
): Promise<RequestedAct> {
  if (!asked.is_dry_run) {
    await recordAudit(deps.db, {
      ...entryOf(asked, found),
      act_id: null,
      outcome: 'refused',
      detail: refusal.error,
    })
  }
  return { outcome: 'refused', target: asked.target, ...refusal }
}

function entryOf(asked: AskedAct, found: FoundTarget | null) {
  const { id: act_id, kind: what, requested_by: actor, reason } = asked
  // An address that is typed in place of an id could not be erased there.
  const { kind, id } = found?.target ?? { ...asked.target, id: withoutAddresses(asked.target.id) }
  return { actor, act_id, what, target: { kind, id }, owner_id: found?.owner_id ?? null, reason }
}

function isSame(act: SupportActRow, { asked, found }: { asked: AskedAct; found: FoundTarget }): boolean {
  return (
    act.kind === asked.kind &&
    act.reason === asked.reason &&
    act.is_dry_run === asked.is_dry_run &&
    act.requested_by === asked.requested_by &&
    isDeepStrictEqual(targetOf(act), found.target) &&
    (asked.kind !== 'adjust' || isDeepStrictEqual(act.owner_id, found.owner_id)) &&
    isDeepStrictEqual(act.params, asked.params)
  )
}
