import type { User } from '../../schema/api/users.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import type { UserRecord } from '../../schema/users/users.ts'

/** The account as its owner sees it: the row, and the balance that the ledger reports. */
export async function presentUser(db: Database, user: UserRecord): Promise<User> {
  const balance = await findBalance(db, { owner_kind: 'user', owner_id: user.clerk_id })
  return {
    clerk_id: user.clerk_id,
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    plan_type: user.plan_type,
    credits: balance.total,
    plan_credits: balance.plan,
    purchased_credits: balance.purchased,
    created_at: user.created_at.toISOString(),
  }
}
