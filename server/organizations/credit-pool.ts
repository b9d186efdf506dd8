import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import { findMonthStart } from '../../schema/ledger/books.ts'
import { sumUsageSince } from '../../schema/ledger/usage.ts'

export interface CreditPool {
  readonly total_credits: number
  readonly used_credits: number
  readonly remaining_credits: number
  readonly plan_credits: number
  readonly purchased_credits: number
  /** What is used is counted from here. */
  readonly since: Date
}

/**
 * An organization's pool in this billing month: what remains is the ledger's balance, what is used is the sum of usage since the
 * month began, and the total is both together, so that the three always agree. See decision 053.
 */
export async function findCreditPool(db: Database, organizationId: string, now: Date): Promise<CreditPool> {
  const owner = { owner_kind: 'organization', owner_id: organizationId } as const
  const since =
    (await findMonthStart(db, owner, now)) ?? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  // One statement's snapshot each; a usage between the two shows as used before it shows as missing.
  const balance = await findBalance(db, owner)
  const used = await sumUsageSince(db, owner, since)
  return {
    total_credits: balance.total + used,
    used_credits: used,
    remaining_credits: balance.total,
    plan_credits: balance.plan,
    purchased_credits: balance.purchased,
    since,
  }
}
