import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner, OwnerAccount, TransferKind } from './accounts.ts'

export interface HistoryEntry {
  readonly transfer_id: number
  readonly account_id: number
  readonly account: OwnerAccount
  readonly amount: number
  readonly balance_after: number
  readonly kind: TransferKind
  readonly reason: string
  readonly occurred_at: Date
  readonly stripe_session_id: string | null
}

/** The last entry of a page; the next page starts below it. */
export interface HistoryCursor {
  readonly transfer_id: number
  readonly account_id: number
}

/**
 * An owner's entries, newest first, `limit` at most, below the cursor when one is given. Reads a page's worth of each account
 * downwards from the cursor and merges them, so that a page costs the same however long the history is and wherever the page is in it.
 */
export async function listHistory(
  db: Kysely<DB>,
  owner: Owner,
  page: { limit: number; before?: HistoryCursor | undefined },
): Promise<HistoryEntry[]> {
  const { transfer_id = Number.MAX_SAFE_INTEGER, account_id = 0 } = page.before ?? {}
  const { rows } = await sql<HistoryEntry>`
    SELECT entry.transfer_id, entry.account_id, entry.account, entry.amount, entry.balance_after,
      transfer.kind, transfer.reason, transfer.occurred_at, intent.stripe_session_id
    FROM (
      SELECT of_account.*, account.name AS account
      FROM ledger_accounts account
      CROSS JOIN LATERAL (
        SELECT e.transfer_id, e.account_id, e.amount, e.balance_after FROM ledger_entries e
        WHERE e.account_id = account.id AND e.version IS NOT NULL
          AND e.transfer_id <= ${transfer_id}::bigint - (account.id >= ${account_id}::bigint)::integer
        ORDER BY e.transfer_id DESC LIMIT ${page.limit}) of_account
      WHERE account.owner_kind = ${owner.owner_kind} AND account.owner_id = ${owner.owner_id}
      ORDER BY of_account.transfer_id DESC, of_account.account_id DESC LIMIT ${page.limit}) entry
    JOIN ledger_transfers transfer ON transfer.id = entry.transfer_id
    LEFT JOIN checkout_intents intent ON intent.id = transfer.intent_id
    ORDER BY entry.transfer_id DESC, entry.account_id DESC`.execute(db)
  return rows
}
