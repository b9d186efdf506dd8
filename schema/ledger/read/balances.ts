import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/types.ts'
import type { Owner } from '../accounts.ts'

export interface Balance {
  readonly plan: number
  readonly purchased: number
  /** What people see as their balance: both accounts together. Negative is a debt. */
  readonly total: number
  /** Grows with every entry of either account, and with every report of usage that is summed; equal versions mean equal balances. */
  readonly version: number
}

/** The owner's balance after the latest entries; an owner that never had credits has zero. */
export async function findBalance(db: Kysely<DB>, owner: Owner): Promise<Balance> {
  const row = await db
    .selectFrom('ledger_owners')
    .select(['plan_balance', 'purchased_balance', 'unposted_credits'])
    .select(sql<number>`plan_version + purchased_version + reports_version`.as('version'))
    .where('owner_id', '=', owner.owner_id)
    .where('owner_kind', '=', owner.owner_kind)
    .executeTakeFirst()
  if (!row) return { plan: 0, purchased: 0, total: 0, version: 0 }
  const { plan, purchased } = withoutUnposted(row)
  return { plan, purchased, total: plan + purchased, version: row.version }
}

/** What is left when usage that is summed and not posted yet is taken off: from the plan account as far as it is above zero. */
export function withoutUnposted(row: {
  readonly plan_balance: number
  readonly purchased_balance: number
  readonly unposted_credits: number
}): { readonly plan: number; readonly purchased: number } {
  const fromPlan = Math.min(Math.max(row.plan_balance, 0), row.unposted_credits)
  return {
    plan: row.plan_balance - fromPlan,
    purchased: row.purchased_balance - (row.unposted_credits - fromPlan),
  }
}
