import { adjustmentOf } from '../../schema/api/support-acts.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { adjustmentGrant } from '../../schema/ledger/grants.ts'
import { lockOwner } from '../../schema/ledger/post/books.ts'
import { grantTransfer, postTransfers } from '../../schema/ledger/post/post.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { PermanentError } from '../errors.ts'
import { requireFinding } from '../reconciliation/compare-again.ts'
import type { DoAct } from './act.ts'

/**
 * Gives credits, or takes some away, by one transfer that is named after the act: however often the act is
 * tried, it is posted once. What was bought is taken as far as it is there; to leave a debt has to be asked
 * for, and agreed to by a second person.
 */
export const adjust: DoAct = async (deps, act) => {
  const owner_id = act.owner_id
  const adjustment = adjustmentOf(act.params)
  if (!owner_id || !adjustment)
    throw new PermanentError('not_an_act', { kind: act.kind, target_kind: act.target_kind })
  const { credits, customer_note, may_leave_debt } = adjustment
  if (act.finding_id) await requireFinding(deps, act.finding_id)
  await retryTransaction(deps.db, async (trx) => {
    await lockOwner(trx, owner_id)
    // What is held is spent soon, whatever is taken meanwhile.
    const { purchased, available } = await findBalance(trx, owner_id)
    const left = Math.min(purchased, available)
    if (credits < 0 && left + credits < 0 && !may_leave_debt) {
      throw new PermanentError('more_than_left', { asked: `${-credits}`, left: `${Math.max(0, left)}` })
    }
    const grant = adjustmentGrant(owner_id, 'purchased', act.id)
    const transfer = grantTransfer(
      { grant, ordinal: 1, credits, kind: 'adjustment', house: 'adjusted', paid_by: null },
      { occurred_at: act.requested_at, event_id: null, actor: act.requested_by, reason: customer_note },
    )
    await postTransfers(trx, [transfer])
  })
  return {}
}
