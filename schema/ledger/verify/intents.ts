import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { sumsOfGrant } from './grants.ts'
import type { ReportProblem } from './problems.ts'

const batchSize = 1000

/**
 * Checks intents: every settled purchase has its grant, every settled plan its subscription. Returns how many
 * are settled. `changedSince`: only those that changed since an hour before, or all.
 */
export async function checkIntents(
  trx: DatabaseTransaction,
  changedSince: Date | null,
  problem: ReportProblem,
): Promise<number> {
  let settled = 0
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<{
      id: string
      state: string
      is_purchase: boolean
      has_grant: boolean
      has_subscription: boolean
    }>`
      SELECT i.id, i.state, i.kind = 'credit_purchase' AS is_purchase, s.intent_id IS NOT NULL AS has_subscription,
        coalesce(sums.gross = i.credits
          AND EXISTS (SELECT FROM ledger_transfers t WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
            AND t.idempotency_key = 'checkout/' || coalesce(i.stripe_session_id, i.stripe_invoice_id) AND t.kind = 'credit_purchase'), false) AS has_grant
      FROM (SELECT * FROM checkout_intents WHERE id > ${last} AND (state = 'settled' OR kind = 'subscription')
        AND (${changedSince}::timestamptz IS NULL OR updated_at >= ${changedSince}::timestamptz - interval '1 hour') ORDER BY id LIMIT ${sql.lit(batchSize)}) i
      LEFT JOIN subscriptions s ON s.owner_id = i.owner_id AND s.intent_id = i.id
      LEFT JOIN ledger_grants g ON g.owner_id = i.owner_id AND g.id = 'purchase/' || i.id::text
      LEFT JOIN LATERAL ${sumsOfGrant} sums ON true
      ORDER BY i.id`.execute(trx)
    for (const intent of rows) {
      const isSettled = intent.state === 'settled'
      if (isSettled) settled++
      if (intent.is_purchase) {
        if (isSettled && !intent.has_grant) {
          problem('every settled intent has its grant, with the credits of its terms', `intent ${intent.id}`)
        }
      } else if (isSettled !== intent.has_subscription) {
        problem('every settled intent of a plan has its subscription', `intent ${intent.id}`)
      }
    }
    const end = rows.at(-1)
    if (!end || rows.length < batchSize) return settled
    last = end.id
  }
}
