import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { markDeleted } from '../../../schema/owners/deleted-owners.ts'
import { makeSubscriptionsDue } from '../../../schema/subscriptions/snapshots.ts'

/**
 * Records that an owner was deleted at Clerk, and makes their subscriptions due, which ends them at Stripe:
 * see `endIfOwnerIsGone`. To be called before anything else is locked. Returns what support reads of it.
 */
export async function deleteOwner(trx: DatabaseTransaction, owner: Owner, now: Date): Promise<string | null> {
  await lockOwner(trx, owner)
  await markDeleted(trx, { ...owner, now })
  const ids = await makeSubscriptionsDue(trx, { ...owner, now })
  return ids.length > 0 ? `It ends at Stripe, without another invoice: ${ids.join(', ')}` : null
}
