import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

/**
 * Checks that every transfer has its key, with the same input, and every key its transfer. A transfer without
 * its key would be posted again; a key without its transfer would make the ledger believe that something was
 * posted.
 */
export async function checkKeys(
  trx: DatabaseTransaction,
  { after, upTo }: Range,
  problem: ReportProblem,
): Promise<void> {
  const { rows } = await sql<{ posted: string | null; kept: string | null }>`
    SELECT transfer.idempotency_key AS posted, key.idempotency_key AS kept
    FROM (SELECT * FROM ledger_transfers WHERE id > ${after}) transfer
    FULL JOIN (SELECT * FROM ledger_keys WHERE transfer_id > ${after}) key
      ON key.transfer_id = transfer.id AND key.owner_id = transfer.owner_id AND key.idempotency_key = transfer.idempotency_key
    WHERE transfer.id IS NULL OR transfer.id <= ${upTo} AND key.input_hash IS DISTINCT FROM transfer.input_hash
    ORDER BY transfer.id, kept`.execute(trx)
  for (const { posted, kept } of rows) {
    if (posted === null) problem('every key has its transfer', `transfer ${kept}`)
    else problem('every transfer is kept under its key', `transfer ${posted}`)
  }
}
