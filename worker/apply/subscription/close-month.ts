import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { findBalance } from '../../../schema/ledger/balances.ts'
import { expirePlanCredits } from '../../../schema/ledger/expire.ts'
import type { Subscription } from '../../../schema/subscriptions/subscriptions.ts'
import type { Cause } from './apply-subscription.ts'

/**
 * Ends the latest month: what is left of the plan credits expires, and how much of the month's credits was not used is noted,
 * for refunds that are reported when it is over. Used is what is missing, apart from what was taken back and from what the other
 * account paid in; a month that was closed before is left alone.
 */
export async function closeMonth(
  trx: DatabaseTransaction,
  subscription: Subscription,
  closing: {
    readonly name: string
    readonly occurred_at: Date
    readonly reason: string
    readonly cause: Cause
  },
): Promise<void> {
  const { name, occurred_at, reason, cause } = closing
  const expired = await expirePlanCredits(trx, subscription, {
    idempotency_key: `expiry/${name}`,
    occurred_at,
    event_id: cause.event_id,
    actor: cause.actor,
    reason,
  })
  const month = await trx
    .selectFrom('subscription_months')
    .selectAll()
    .where('stripe_subscription_id', '=', subscription.stripe_subscription_id)
    .orderBy('starts_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!month || month.unused !== null) return
  // Expiring has locked the account: nothing can be used between this and the end of the transaction.
  const left = expired > 0 ? expired : (await findBalance(trx, subscription)).plan
  const { rows } = await sql<{ taken: number; settled: number }>`
    SELECT
      (SELECT coalesce(sum(credits_taken), 0)::bigint FROM clawbacks
        WHERE stripe_subscription_id = ${month.stripe_subscription_id} AND month_starts_at = ${month.starts_at}) AS taken,
      (SELECT coalesce(sum(e.amount), 0)::bigint FROM ledger_entries e
        JOIN ledger_transfers t ON t.id = e.transfer_id AND t.kind = 'settlement'
        JOIN ledger_accounts a ON a.id = e.account_id AND a.name = 'plan'
          AND a.owner_kind = ${subscription.owner_kind} AND a.owner_id = ${subscription.owner_id}
        WHERE t.id > (SELECT coalesce(max(g.id), 0) FROM ledger_transfers g
          WHERE g.idempotency_key = ${`plan/${month.stripe_subscription_id}/${month.starts_at.getTime() / 1000}`})) AS settled
  `.execute(trx)
  const { taken, settled } = rows[0] ?? { taken: 0, settled: 0 }
  const unused = Math.min(Math.max(0, left + taken - settled), month.credits + month.seat_credits)
  await trx
    .updateTable('subscription_months')
    .set({ unused })
    .where('stripe_subscription_id', '=', month.stripe_subscription_id)
    .where('starts_at', '=', month.starts_at)
    .execute()
}
