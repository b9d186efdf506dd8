import type { Kysely } from 'kysely'
import { Batches } from '../../batches.ts'
import type { DB } from '../../database/types.ts'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import { inSpan } from '../../tracing.ts'
import {
  refuseConflict,
  type SpendOutcome,
  type SpendRequest,
  spendCredits,
  spendSkippingLocked,
} from './usage.ts'

export type Spend = (request: SpendRequest) => Promise<ReturnType<typeof refuseConflict>>

/**
 * `spendCredits` for a process that is asked for it all the time: requests that come while others are being
 * decided share one statement, one commit and one lock of each payer (decision 126). Each caller waits for
 * the commit of their own. A payer who is locked, or has many usages, holds up no other.
 */
export function createUsageGroups(db: Kysely<DB>): Spend {
  const groups = new Batches<SpendRequest, SpendOutcome>({
    items_max: 100,
    // A payer may be locked for a while, by the worker or another server; others go past it.
    batches_max: 4,
    keyOf: ({ owner_id }) => `${owner_id}`,
    withoutWaiting: (requests) => spendSkippingLocked(db, requests),
    isShared: isDatabaseUnavailable,
  })
  return async (request) => {
    // The statement itself is in the span of one of those who share it.
    const work = (requests: readonly SpendRequest[]) => spendCredits(db, requests)
    const outcome = await inSpan('usage', {}, () => groups.run(request, work))
    return refuseConflict(request, outcome)
  }
}
