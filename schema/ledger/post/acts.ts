import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import type { OwnerAccount, TransferKind } from '../accounts.ts'

/** Makes every transfer that is posted until the transaction ends name an act of support. */
export async function markAct(trx: DatabaseTransaction, actId: string): Promise<void> {
  await sql`SELECT set_config('tidemark.act_id', ${actId}, true)`.execute(trx)
}

/** What an act moved in an owner's account. Whole credits, signed. */
export interface ActTransfer {
  readonly owner_id: string
  readonly transfer_id: number
  readonly kind: TransferKind
  readonly account: OwnerAccount
  readonly credits: number
  readonly reason: string
  readonly grant_id: string | null
}

/** In the order in which they were posted. */
export async function listTransfersOfAct(db: Kysely<DB>, actId: string): Promise<ActTransfer[]> {
  const { rows } = await sql<ActTransfer>`
    SELECT transfer.id AS transfer_id, transfer.kind, transfer.reason, transfer.grant_id, entry.amount AS credits, account.name AS account,
      account.owner_id
    FROM ledger_transfers transfer
    JOIN ledger_accounts account ON account.owner_id = transfer.owner_id
    JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.account_id = account.id AND entry.transfer_id = transfer.id
    WHERE transfer.act_id = ${actId}
    ORDER BY transfer.id, account.name`.execute(db)
  return rows
}
