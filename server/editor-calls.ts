import { createBatches } from '../schema/batches.ts'
import type { Database } from '../schema/database/connect.ts'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import {
  type AskedBalance,
  type EditorBalance,
  readEditorBalances,
} from '../schema/extension/editor-balances.ts'
import {
  refuseConflict,
  spendCredits,
  spendCreditsMany,
  type Usage,
  type UsageOutcome,
  type UsageResult,
} from '../schema/ledger/usage.ts'
import { findActiveSeats, type SeatHolder, type SeatRole } from '../schema/seats/seats.ts'
import { inSpan } from '../schema/tracing.ts'

/**
 * What editors ask for all the time, of a server that many ask at once: those that come while others are being served are served
 * together, by one statement (decision 126).
 */
export interface EditorCalls {
  readBalance(asked: AskedBalance): Promise<EditorBalance>
  /** Null when the user has no active seat of the organization. */
  findSeat(holder: SeatHolder): Promise<SeatRole | null>
  /** As `spendCredits`: one commit, and one lock of each payer. A pool with many editors holds up nobody else's reports. */
  spend(usage: Usage): Promise<UsageResult>
}

const together = { items_max: 100, isShared: isDatabaseUnavailable }

export function createEditorCalls(db: Database): EditorCalls {
  const decide = createBatches<Usage, UsageOutcome>({
    ...together,
    // A payer may be locked for a while, by the worker or another server; the others go past it.
    batches_max: 4,
    keyOf: ({ owner_kind, owner_id }) => `${owner_kind}/${owner_id}`,
    together: (usages) => spendCreditsMany(db, usages),
    alone: (usage) => spendCredits(db, usage),
  })
  return {
    readBalance: createReads((asked) => readEditorBalances(db, asked)),
    findSeat: createReads((holders) => findActiveSeats(db, holders)),
    async spend(usage) {
      // The statement itself is in the span of one of those who share it.
      const outcome = await inSpan('usage', {}, () => decide(usage))
      return refuseConflict(usage, outcome)
    },
  }
}

function createReads<Asked, Answer>(
  read: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  return createBatches({
    ...together,
    // Nothing that is read is ever locked.
    batches_max: 1,
    together: read,
  })
}
