import type { Database } from '../database/connect.ts'
import { retryTransaction } from '../database/retry.ts'
import type { ClerkDirectory } from '../vendors/clerk/directory.ts'
import { approveAct, findAct, refuseAct, type SupportActRow, targetOf } from './acts.ts'
import { isOwn } from './approval.ts'
import { recordAudit } from './audit.ts'

interface Decision {
  readonly id: string
  readonly decided_by: string
  readonly now: Date
}

export type DecidedAct =
  | { readonly outcome: 'decided'; readonly act: SupportActRow }
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'not_waiting'; readonly act: SupportActRow }
  | { readonly outcome: 'own_act'; readonly act: SupportActRow }
  | { readonly outcome: 'wrong_address'; readonly act: SupportActRow }
  | { readonly outcome: 'no_reason'; readonly act: SupportActRow }

/**
 * Approval by a second person, neither requester nor beneficiary. Each attempt is audited. Throws
 * ClerkUnavailableError.
 */
export async function decideToApprove(
  { db, clerk }: { readonly db: Database; readonly clerk: Pick<ClerkDirectory, 'findMembership'> },
  decision: Decision & {
    readonly token: string
    /** Of the person, when they are to be erased. */
    readonly typed_address?: string | undefined
    readonly next_try_at: Date
  },
): Promise<DecidedAct> {
  const { id, decided_by, ...rest } = decision
  const act = await findAct(db, id)
  if (!act) return { outcome: 'not_found' }
  if (act.requested_by === decided_by || (await isOwn(clerk, decided_by, act.owner_id))) {
    const detail = 'The requester and the person whom it concerns cannot approve it'
    await recordAudit(db, { ...entryOf(act, decided_by), outcome: 'refused', detail })
    return { outcome: 'own_act', act }
  }
  const approval = { ...rest, id, approved_by: decided_by }
  return decided(db, { act, decided_by }, await retryTransaction(db, (trx) => approveAct(trx, approval)))
}

/** A second person rejects the act, or the requester withdraws it. */
export async function decideToRefuse(
  db: Database,
  decision: Decision & { readonly reason: string },
): Promise<DecidedAct> {
  const { id, decided_by, now, reason } = decision
  const act = await findAct(db, id)
  if (!act) return { outcome: 'not_found' }
  const error = reason.trim()
  if (error === '') {
    const detail = 'Rejected without a reason'
    await recordAudit(db, { ...entryOf(act, decided_by), outcome: 'refused', detail })
    return { outcome: 'no_reason', act }
  }
  const refusal = { id, refused_by: decided_by, error, now }
  return decided(db, { act, decided_by }, await retryTransaction(db, (trx) => refuseAct(trx, refusal)))
}

async function decided(
  db: Database,
  { act, decided_by }: { readonly act: SupportActRow; readonly decided_by: string },
  row: SupportActRow | undefined,
): Promise<DecidedAct> {
  if (row) return { outcome: 'decided', act: row }
  const now = (await findAct(db, act.id)) ?? act
  const isWaiting = now.state === 'waiting_for_approval'
  const detail = isWaiting ? 'Another address than the person’s was typed' : `It is ${now.state} already`
  await recordAudit(db, { ...entryOf(act, decided_by), outcome: 'refused', detail })
  return { outcome: isWaiting ? 'wrong_address' : 'not_waiting', act: now }
}

function entryOf(act: SupportActRow, actor: string) {
  const { id: act_id, kind: what, reason } = act
  return { actor, act_id, what, target: targetOf(act), owner_id: act.owner_id, reason }
}
