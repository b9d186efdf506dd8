import type { Database } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { approveAct, findAct, refuseAct, type SupportActRow, targetOf } from '../../schema/support/acts.ts'
import { isOwn } from '../../schema/support/approval.ts'
import { recordAudit } from '../../schema/support/audit.ts'
import type { Dependencies } from '../dependencies.ts'
import { actNotFound, actNotWaiting, ownApproval, reasonRequired, wrongAddress } from '../errors.ts'

interface Decision {
  readonly id: string
  readonly decided_by: string
}

/**
 * Approval by a second person, neither requester nor beneficiary. Each attempt is audited. Throws
 * ClerkUnavailableError.
 */
export async function decideToApprove(
  { db, clerk }: Pick<Dependencies, 'db' | 'clerk'>,
  decision: Decision & {
    readonly token: string
    /** Of the person, when they are to be erased. */
    readonly typed_address?: string | undefined
    readonly next_try_at: Date
  },
): Promise<SupportActRow> {
  const { id, decided_by, ...rest } = decision
  const act = await requireAct(db, id)
  if (act.requested_by === decided_by || (await isOwn(clerk, decided_by, act.owner_id))) {
    await recordFailure(
      db,
      act,
      decided_by,
      'The requester and the person whom it concerns cannot approve it',
    )
    throw ownApproval()
  }
  const approval = { ...rest, id, approved_by: decided_by }
  const approved = await retryTransaction(db, (trx) => approveAct(trx, approval))
  return approved ?? failDecision(db, act, decided_by)
}

/** A second person rejects the act, or the requester withdraws it. */
export async function decideToRefuse(
  db: Database,
  { id, decided_by, now, reason }: Decision & { readonly now: Date; readonly reason: string },
): Promise<SupportActRow> {
  const act = await requireAct(db, id)
  const error = reason.trim()
  if (error === '') {
    await recordFailure(db, act, decided_by, 'Rejected without a reason')
    throw reasonRequired()
  }
  const refusal = { id, refused_by: decided_by, error, now }
  const refused = await retryTransaction(db, (trx) => refuseAct(trx, refusal))
  return refused ?? failDecision(db, act, decided_by)
}

async function requireAct(db: Database, id: string): Promise<SupportActRow> {
  const act = await findAct(db, id)
  if (!act) throw actNotFound()
  return act
}

async function failDecision(db: Database, act: SupportActRow, decided_by: string): Promise<never> {
  const { state } = await requireAct(db, act.id)
  const isWaiting = state === 'waiting_for_approval'
  const detail = isWaiting ? 'Another address than the person’s was typed' : `It is ${state} already`
  await recordFailure(db, act, decided_by, detail)
  throw isWaiting ? wrongAddress() : actNotWaiting(state)
}

async function recordFailure(db: Database, act: SupportActRow, actor: string, detail: string): Promise<void> {
  const { id: act_id, kind: what, reason } = act
  const about = { what, target: targetOf(act), owner_id: act.owner_id, reason }
  await recordAudit(db, { ...about, actor, act_id, outcome: 'refused', detail })
}
