import type { Database } from '../database/connect.ts'
import { retryTransaction } from '../database/retry.ts'
import { approveAct, findAct, ownerOf, refuseAct, type SupportActRow, targetOf } from './acts.ts'
import { type NewAuditEntry, recordAudit } from './audit.ts'

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
  | { readonly outcome: 'no_reason'; readonly act: SupportActRow }

/** Approval by a second person, neither requester nor beneficiary. Each attempt is audited. */
export async function decideToApprove(
  db: Database,
  decision: Decision & { readonly next_try_at: Date },
): Promise<DecidedAct> {
  const { id, decided_by, now, next_try_at } = decision
  const act = await findAct(db, id)
  if (!act) return { outcome: 'not_found' }
  if (act.requested_by === decided_by || act.owner_id === decided_by) {
    const detail = 'The requester and the person whom it concerns cannot approve it'
    await recordAudit(db, { ...entryOf(act, decided_by), outcome: 'refused', detail })
    return { outcome: 'own_act', act }
  }
  return decide(db, act, decided_by, 'approved', (trx) =>
    approveAct(trx, { id, approved_by: decided_by, now, next_try_at }),
  )
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
  return decide(
    db,
    act,
    decided_by,
    'refused',
    (trx) => refuseAct(trx, { id, refused_by: decided_by, error, now }),
    error,
  )
}

async function decide(
  db: Database,
  act: SupportActRow,
  decided_by: string,
  outcome: NewAuditEntry['outcome'],
  write: (trx: Parameters<typeof approveAct>[0]) => Promise<SupportActRow | undefined>,
  detail: string | null = null,
): Promise<DecidedAct> {
  const decided = await retryTransaction(db, async (trx) => {
    const row = await write(trx)
    if (row) await recordAudit(trx, { ...entryOf(act, decided_by), outcome, detail })
    return row
  })
  if (decided) return { outcome: 'decided', act: decided }
  const attempt = `It is ${act.state} already`
  await recordAudit(db, { ...entryOf(act, decided_by), outcome: 'refused', detail: attempt })
  return { outcome: 'not_waiting', act: (await findAct(db, act.id)) ?? act }
}

function entryOf(act: SupportActRow, actor: string) {
  const { id: act_id, kind: what, reason } = act
  return { actor, act_id, what, target: targetOf(act), owner: ownerOf(act), reason }
}
