import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/types.ts'
import { availableOf } from '../spendable.ts'

export interface Balance {
  readonly plan: number
  readonly purchased: number
  /** Both accounts together. Negative is a debt. */
  readonly total: number
  /** Credits of open holds. */
  readonly held: number
  /** What can be spent, which is not what is held. Negative is a debt. */
  readonly available: number
  /** Grows with every entry of either account; equal versions mean equal balances. */
  readonly version: number
}

/** The owner's balance after the latest entries; an owner that never had credits has zero. */
export async function findBalance(db: Kysely<DB>, owner_id: string): Promise<Balance> {
  const row = await db
    .selectFrom('ledger_owners')
    .select(['plan_balance as plan', 'purchased_balance as purchased', 'held'])
    .select(sql<number>`plan_version + purchased_version`.as('version'))
    .where('owner_id', '=', owner_id)
    .executeTakeFirst()
  const balance = row ?? { plan: 0, purchased: 0, held: 0, version: 0 }
  return { ...balance, total: balance.plan + balance.purchased, available: availableOf(balance) }
}
