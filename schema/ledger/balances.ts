import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner } from './accounts.ts'

export interface Balance {
  readonly plan: number
  readonly purchased: number
  /** What people see as their balance: both accounts together. Negative is a debt. */
  readonly total: number
  /** Grows with every entry of either account; equal versions mean equal balances. */
  readonly version: number
}

/** The owner's balance as the latest entries have it; an owner that never had credits has zero. */
export async function findBalance(db: Kysely<DB>, owner: Owner): Promise<Balance> {
  const rows = await db
    .selectFrom('ledger_balances')
    .select(['account', 'balance', 'version'])
    .where('owner_kind', '=', owner.owner_kind)
    .where('owner_id', '=', owner.owner_id)
    .execute()
  const plan = rows.find((row) => row.account === 'plan')
  const purchased = rows.find((row) => row.account === 'purchased')
  return {
    plan: plan?.balance ?? 0,
    purchased: purchased?.balance ?? 0,
    total: (plan?.balance ?? 0) + (purchased?.balance ?? 0),
    version: (plan?.version ?? 0) + (purchased?.version ?? 0),
  }
}
