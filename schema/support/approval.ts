import type { Kysely } from 'kysely'
import type { Adjustment } from '../api/support-acts.ts'
import type { DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'
import { sumUnapprovedAdjustments } from './acts.ts'

interface AskedAdjustment {
  readonly adjustment: Adjustment
  readonly owner: Owner
  readonly requested_by: string
  /** Credits that one person may adjust without a second one. */
  readonly limit: number
}

/**
 * Whether the request alone needs a second person: it leaves a debt, exceeds the limit, or is for oneself.
 */
export function asksForApproval({ adjustment, owner, requested_by, limit }: AskedAdjustment): boolean {
  return adjustment.may_leave_debt || Math.abs(adjustment.credits) > limit || owner.owner_id === requested_by
}

const dayMs = 24 * 3600 * 1000

/**
 * The same, including what the person requests in the same call and has adjusted for this owner within a day,
 * so that the limit cannot be passed in steps.
 */
export async function needsApproval(
  db: Kysely<DB>,
  asked: AskedAdjustment & {
    /** How many owners it is asked for at once. */
    readonly owners: number
    readonly now: Date
  },
): Promise<boolean> {
  if (asksForApproval(asked)) return true
  const { adjustment, owner, requested_by, limit, owners, now } = asked
  const since = new Date(now.getTime() - dayMs)
  const earlier = await sumUnapprovedAdjustments(db, { owner, requested_by, since })
  return owners * Math.abs(adjustment.credits) + earlier > limit
}
