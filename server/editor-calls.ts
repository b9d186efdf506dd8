import { createBatches } from '../schema/batches.ts'
import type { Database } from '../schema/database/connect.ts'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import {
  type AskedBalance,
  type EditorBalance,
  readEditorBalances,
} from '../schema/extension/editor-balances.ts'
import type { Usage, UsageResult } from '../schema/ledger/spend/usage.ts'
import { createUsageGroups } from '../schema/ledger/spend/usage-groups.ts'
import { findActiveSeats, type SeatHolder, type SeatRole } from '../schema/seats/seats.ts'

/**
 * What editors ask for all the time, of a server that many ask at once: those that come while others are
 * being served are served together, by one statement (decision 126).
 */
export interface EditorCalls {
  readBalance(asked: AskedBalance): Promise<EditorBalance>
  /** Null when the user has no active seat of the organization. */
  findSeat(holder: SeatHolder): Promise<SeatRole | null>
  /**
   * As `spendCredits`, in one commit with one lock per payer. A pool with many editors does not delay other
   * payers.
   */
  spend(usage: Usage): Promise<UsageResult>
}

export function createEditorCalls(db: Database): EditorCalls {
  return {
    readBalance: createReads((asked) => readEditorBalances(db, asked)),
    findSeat: createReads((holders) => findActiveSeats(db, holders)),
    spend: createUsageGroups(db),
  }
}

function createReads<Asked, Answer>(
  read: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  return createBatches({
    items_max: 100,
    isShared: isDatabaseUnavailable,
    // While one is with the database the next is put together. Nothing that is read is ever locked, so more
    // bring nothing.
    batches_max: 2,
    together: read,
  })
}
