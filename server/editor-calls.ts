import { Batches } from '../schema/batches.ts'
import type { Database } from '../schema/database/connect.ts'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import {
  type AskedBalance,
  type AskedPayer,
  type EditorBalance,
  type FoundPayer,
  findEditorPayers,
  readEditorBalances,
} from '../schema/extension/editor-payers.ts'
import { type FoundHold, findHold, type HoldOfActor } from '../schema/ledger/read/holds.ts'
import { createUsageGroups, type Spend } from '../schema/ledger/spend/usage-groups.ts'

/** Batches concurrent calls of editors: one statement serves those that arrived meanwhile (decision 126). */
export interface EditorCalls {
  readBalance(asked: AskedBalance): Promise<EditorBalance>
  findPayer(asked: AskedPayer): Promise<FoundPayer>
  /** Null when the person has no hold with this id. */
  findHold(asked: HoldOfActor): Promise<FoundHold | null>
  /** As `spendCredits`, in one commit with one lock per payer: a busy pool does not delay other payers. */
  readonly spend: Spend
}

export function createEditorCalls(db: Database): EditorCalls {
  return {
    readBalance: createReads((asked) => readEditorBalances(db, asked)),
    findPayer: createReads((asked) => findEditorPayers(db, asked)),
    findHold: (asked) => findHold(db, asked),
    spend: createUsageGroups(db),
  }
}

function createReads<Asked, Answer>(
  read: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  const batches = new Batches<Asked, Answer>({
    items_max: 100,
    isShared: isDatabaseUnavailable,
    // One batch runs while the next is collected. Reads take no locks, so more batches would not help.
    batches_max: 2,
  })
  return (asked) => batches.run(asked, read)
}
