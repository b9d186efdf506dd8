import { createBatches } from '../schema/batches.ts'
import type { Database } from '../schema/database/connect.ts'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import {
  refuseConflict,
  spendCredits,
  spendCreditsMany,
  type Usage,
  type UsageOutcome,
  type UsageResult,
} from '../schema/ledger/usage.ts'
import { inSpan } from '../schema/tracing.ts'

/** `spendCredits`, of a process that is asked by many at once. */
export type Spend = (usage: Usage) => Promise<UsageResult>

/**
 * Decides reports that come while others are being decided together: one statement, one commit, and one lock of each payer. Payers take
 * turns, so a pool with many editors holds up nobody else's reports (decision 126).
 */
export function createSpend(db: Database): Spend {
  const decide = createBatches<Usage, UsageOutcome>({
    items_max: 100,
    batches_max: 4,
    keyOf: ({ owner_kind, owner_id }) => `${owner_kind}/${owner_id}`,
    together: (usages) => spendCreditsMany(db, usages),
    alone: (usage) => spendCredits(db, usage),
    isShared: isDatabaseUnavailable,
  })
  return async (usage) => {
    // The statement itself is in the span of one of those who share it.
    const outcome = await inSpan('usage', {}, () => decide(usage))
    return refuseConflict(usage, outcome)
  }
}
