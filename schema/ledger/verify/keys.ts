import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

/**
 * Checks that every transfer has its key, with the same input, and every key its transfer. A transfer without its key would be posted again; a
 * key without its transfer would make the ledger believe that something was posted.
 */
export async function checkKeys(
  trx: DatabaseTransaction,
  { after, upTo }: Range,
  problem: ReportProblem,
): Promise<void> {
  const { rows: transfers } = await sql<{ idempotency_key: string }>`
    SELECT transfer.idempotency_key FROM ledger_transfers transfer
    WHERE transfer.id > ${after} AND transfer.id <= ${upTo} AND NOT EXISTS (
      SELECT FROM ledger_keys key
      WHERE key.transfer_id = transfer.id AND key.owner_id = transfer.owner_id AND key.idempotency_key = transfer.idempotency_key
        AND key.input_hash = transfer.input_hash)
    ORDER BY transfer.id`.execute(trx)
  for (const { idempotency_key } of transfers) {
    problem('every transfer is kept under its key', `transfer ${idempotency_key}`)
  }
  const { rows: keys } = await sql<{ idempotency_key: string }>`
    SELECT key.idempotency_key FROM ledger_keys key
    WHERE key.transfer_id > ${after} AND NOT EXISTS (
      SELECT FROM ledger_transfers transfer
      WHERE transfer.id = key.transfer_id AND transfer.owner_id = key.owner_id AND transfer.idempotency_key = key.idempotency_key)
    ORDER BY key.idempotency_key`.execute(trx)
  for (const { idempotency_key } of keys) problem('every key has its transfer', `transfer ${idempotency_key}`)
}
