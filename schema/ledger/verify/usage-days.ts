import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { isAboveHold } from '../hold-keys.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

/**
 * Compares the sums of usage of an owner's day, person and editor with the transfers and failures of the
 * range. What began to be counted before the range, which is before the last proof, has to come to at least
 * as much. A full run compares all days, another one those on which something of the
 * range occurred. Labels may be erased and are not compared.
 */
export async function checkUsageDays(
  trx: DatabaseTransaction,
  { after, is_all }: Range,
  problem: ReportProblem,
): Promise<void> {
  const counted = is_all
    ? sql`ledger_usage_days`
    : sql`(SELECT DISTINCT owner_id, day, actor FROM posted) named JOIN ledger_usage_days USING (owner_id, day, actor)`
  const { rows } = await sql<{ owner_id: string; day: string; actor: string }>`
    WITH posted AS ${is_all ? sql`NOT MATERIALIZED` : sql``} (
      SELECT t.owner_id, (t.occurred_at AT TIME ZONE 'UTC')::date AS day, t.actor, t.token_id,
        CASE WHEN ${isAboveHold(sql`t.idempotency_key`)} THEN 0 ELSE 1 END AS requests, 0 AS failed, e.amount AS credits, t.id
      FROM ledger_transfers t
      JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.transfer_id = t.id
        AND e.account_id = (SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = 'used')
      WHERE t.kind = 'usage' AND t.id > ${sql.lit(after)} AND e.transfer_id > ${sql.lit(after)}
      UNION ALL
      SELECT owner_id, (occurred_at AT TIME ZONE 'UTC')::date, actor, token_id, 1, 1, 0, id FROM ledger_failures WHERE id > ${after})
    SELECT owner_id, day::text AS day, actor
    FROM (
      SELECT owner_id, day, actor, token_id, requests, failed, credits, first_id AS counted_from, NULL AS posted_from FROM ${counted}
      UNION ALL
      SELECT owner_id, day, actor, token_id, -requests, -failed, -credits, NULL, id FROM posted) compared
    GROUP BY owner_id, day, actor, token_id
    HAVING CASE WHEN min(counted_from) <= ${after} THEN least(sum(requests), sum(failed), sum(credits)) < 0
      ELSE (sum(requests), sum(failed), sum(credits)) <> (0, 0, 0) OR min(counted_from) IS DISTINCT FROM min(posted_from) END
    ORDER BY 1, 2, 3`.execute(trx)
  for (const { owner_id, day, actor } of rows) {
    problem('the sums of a day are what was posted', `owner ${owner_id}, day ${day}, person ${actor}`)
  }
}
