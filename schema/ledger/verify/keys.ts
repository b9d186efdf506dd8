import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

/** What is kept under the key of a usage: the hash of what was asked for. Both are names of columns. */
export function usageInput(ownerId: string, credits: string) {
  return sql`sha256(convert_to('["usage",' || to_json(${sql.ref(ownerId)}) || ',"' || ${sql.ref(credits)} || '"]', 'UTF8'))`
}

/**
 * Checks that every transfer has its key, with the same input, and every key its transfer. A transfer without
 * its key would be posted again; a key without its transfer would make the ledger believe that something was
 * posted. A key that was used for a failure has no transfer: these are all compared, by every run.
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
  const { rows: failed } = await sql<{ key: string; is_kept: boolean }>`
    SELECT idempotency_key AS key, key.input_hash IS NOT NULL AS is_kept
    FROM (SELECT *, 0 AS credits FROM ledger_failures) failure
    FULL JOIN (SELECT * FROM ledger_keys WHERE transfer_id IS NULL) key USING (owner_id, idempotency_key)
    WHERE key.input_hash IS DISTINCT FROM ${usageInput('owner_id', 'failure.credits')}
    ORDER BY idempotency_key`.execute(trx)
  for (const { key, is_kept } of failed) {
    if (is_kept) problem('every key without a transfer has its failure', `key ${key}`)
    else problem('every failure is kept under its key', `key ${key}`)
  }
}
