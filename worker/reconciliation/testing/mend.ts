import { randomUUID } from 'node:crypto'
import type { Mending } from '../../../schema/api/reconciliation.ts'
import { keepMembershipLimit } from '../../../schema/seats/membership-limit.ts'
import { retryTransaction } from '../../../schema/database/retry.ts'
import { houseLeg, postTransfer } from '../../../schema/ledger/post.ts'
import type { FindingRow } from '../../../schema/reconciliation/findings.ts'
import { listHeldSeats } from '../../../schema/seats/seats.ts'
import { syncCharge } from '../../apply/charge/sync-charge.ts'
import { syncMember } from '../../apply/clerk/sync-member.ts'
import { reconcilePlan } from '../../books/reconcile.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { processCheckoutCompletion } from '../../jobs/checkout-completion.ts'
import { processInboxEvent } from '../../jobs/inbox-event.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

export async function mend(deps: WorkerDependencies, finding: FindingRow): Promise<void> {
  const mending = finding.mending as unknown as Mending
  const { id } = mending.target
  const cause = { event_id: null, actor: 'test', now: deps.now() }
  switch (mending.target.kind) {
    case 'intent':
      return processCheckoutCompletion(deps, { intent_id: id, cause: 'session_status' })
    case 'event':
      return processInboxEvent(deps, { source: 'stripe', id })
    case 'subscription':
      return processSubscriptionSync(deps, { subscription_id: id })
    case 'charge': {
      await retryTransaction(deps.db, await syncCharge(deps, id, cause))
      return
    }
    default:
  }
  const owner = { owner_kind: mending.target.kind as 'user' | 'organization', owner_id: id }
  if (mending.kind === 'resync') {
    if (owner.owner_kind === 'organization') {
      const people = [
        ...(await listHeldSeats(deps.db, id)).map((seat) => seat.user_id),
        ...((await deps.clerk.listMembers(id)) ?? []).map((member) => member.user_id),
      ]
      for (const user_id of new Set(people)) {
        if (user_id) await retryTransaction(deps.db, await syncMember(deps, { organization_id: id, user_id }))
      }
      await keepMembershipLimit(deps, id)
    }
    await retryTransaction(deps.db, (trx) => reconcilePlan(trx, owner, cause))
    return
  }
  void randomUUID
  void houseLeg
  void postTransfer
}
