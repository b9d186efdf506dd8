import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { keysOfHold } from '../hold-keys.ts'
import { usageInput } from './keys.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

/**
 * Checks that every hold was charged by the transfers that have its keys, and that what is open is what the
 * owners' rows hold. Each hold is read in a full run, those that transfers of the range
 * name in another one; what is open always.
 */
export async function checkHolds(
  trx: DatabaseTransaction,
  range: Range,
  problem: ReportProblem,
): Promise<void> {
  await checkSettlements(trx, range, problem)
  await checkHeld(trx, problem)
}

/** Each key says how many credits were asked for under it, which is what its transfer took. */
async function checkSettlements(
  trx: DatabaseTransaction,
  { after, is_all }: Range,
  problem: ReportProblem,
): Promise<void> {
  const named = sql`
    SELECT DISTINCT owner_id, split_part(idempotency_key, '/', 2) AS id FROM (
      SELECT id, owner_id, idempotency_key FROM ledger_transfers UNION ALL SELECT id, owner_id, idempotency_key FROM ledger_failures) posted
    WHERE id > ${after} AND starts_with(idempotency_key, 'hold/')`
  const holds = is_all
    ? sql`SELECT * FROM ledger_holds`
    : sql`SELECT h.* FROM named n JOIN ledger_holds h ON h.owner_id = n.owner_id
        AND h.id = CASE WHEN pg_input_is_valid(n.id, 'uuid') THEN n.id::uuid END`
  const keys = is_all
    ? sql`SELECT * FROM ledger_keys WHERE starts_with(idempotency_key, 'hold/')`
    : sql`SELECT k.* FROM named n JOIN ledger_keys k ON k.owner_id = n.owner_id
        AND k.idempotency_key IN ${keysOfHold(sql`n.id`)}`
  const { rows } = await sql<{ id: string }>`
    WITH named AS (${named}), settled AS (
      SELECT h.*, CASE h.state WHEN 'settled' THEN least(h.settled_credits, h.credits) ELSE h.charged END AS reserved
      FROM (${holds}) h WHERE h.charged IS NOT NULL)
    SELECT DISTINCT split_part(idempotency_key, '/', 2) AS id
    FROM (
      SELECT owner_id, 'hold/' || id AS idempotency_key, reserved AS credits FROM settled
      WHERE reserved <> 0 OR failure IS NOT NULL
      UNION ALL
      SELECT owner_id, 'hold/' || id || '/above', charged - reserved FROM settled WHERE charged <> reserved) part
    FULL JOIN (${keys}) key USING (owner_id, idempotency_key)
    WHERE key.input_hash IS DISTINCT FROM ${usageInput('owner_id', 'part.credits')}
      OR (key.transfer_id IS NULL) <> (part.credits = 0)
    ORDER BY id`.execute(trx)
  for (const { id } of rows) problem('every hold was charged what was posted for it', `hold ${id}`)
}

async function checkHeld(trx: DatabaseTransaction, problem: ReportProblem): Promise<void> {
  const { rows: owners } = await sql<{ owner_id: string }>`
    SELECT owner_id FROM (
      SELECT owner_id, held, plan_held FROM ledger_owners WHERE held <> 0
      UNION ALL SELECT owner_id, -credits, -plan_credits FROM ledger_holds WHERE state = 'open') counted
    GROUP BY owner_id HAVING (sum(held), sum(plan_held)) <> (0, 0) ORDER BY owner_id`.execute(trx)
  for (const { owner_id } of owners) problem('every owner’s row has what is held', `owner ${owner_id}`)
}
