import type { Kysely } from 'kysely'
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

/** An owner's entries, newest first, `limit` at most, below the cursor when one is given. */
export async function listHistory(
  db: Kysely<DB>,
  owner: Owner,
  page: { limit: number; before?: HistoryCursor | undefined },
): Promise<HistoryEntry[]> {
  let query = db
    .selectFrom('ledger_accounts as account')
    .innerJoin('ledger_entries as entry', 'entry.account_id', 'account.id')
    .innerJoin('ledger_transfers as transfer', 'transfer.id', 'entry.transfer_id')
    .leftJoin('checkout_intents as intent', 'intent.id', 'transfer.intent_id')
    .select([
      'entry.transfer_id',
      'entry.account_id',
      'account.name as account',
      'entry.amount',
      'entry.balance_after',
      'transfer.kind',
      'transfer.reason',
      'transfer.occurred_at',
      'intent.stripe_session_id',
    ])
    .where('account.owner_kind', '=', owner.owner_kind)
    .where('account.owner_id', '=', owner.owner_id)
    .orderBy('entry.transfer_id', 'desc')
    .orderBy('entry.account_id', 'desc')
    .limit(page.limit)
  const { before } = page
  if (before) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('entry.transfer_id', 'entry.account_id'),
        '<',
        tuple(before.transfer_id, before.account_id),
      ),
    )
  }
  const rows = await query.execute()
  return rows as HistoryEntry[]
}
