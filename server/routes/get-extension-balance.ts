import type { getExtensionBalance } from '../../schema/api/extension.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import type { Database } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import { findUser } from '../../schema/users/users.ts'
import { Tagged } from '../etag.ts'
import { resolvePayer } from '../extension/payer.ts'
import { presentSpendable } from '../extension/spendable.ts'
import type { Handler } from '../mount.ts'

export const handleGetExtensionBalance: Handler<typeof getExtensionBalance> = async (
  { query, user_id },
  deps,
) => {
  const { name, owner } = await resolvePayer(deps, { payer: query.payer, user_id })
  const balance = await findBalance(deps.db, owner)
  const plan_type = await planOf(deps.db, owner)
  const { version } = balance
  return new Tagged(
    { ...presentSpendable(name, balance), plan_type, version, as_of: deps.now().toISOString() },
    // A plan can change without a movement, and `personal` is not the same for everybody.
    `${owner.owner_id}.${version}.${plan_type}`,
  )
}

async function planOf(db: Database, owner: Owner): Promise<PlanType> {
  if (owner.owner_kind === 'user') return (await findUser(db, owner.owner_id))?.plan_type ?? 'starter'
  return (await findLiveSubscription(db, owner))?.plan_type ?? 'starter'
}
