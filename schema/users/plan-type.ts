import { sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import { liveStatuses } from '../stripe/statuses.ts'

/**
 * Writes the plan that people are shown: their own live subscription's, else `teams` when they have a seat of an organization
 * whose subscription is live, else `starter`. Every change of a seat or a subscription calls it in the same transaction, as
 * the last step. People without an account yet are skipped.
 */
export async function refreshPlanType(trx: DatabaseTransaction, userIds: readonly string[]): Promise<void> {
  const ids = [...new Set(userIds)]
  if (ids.length === 0) return
  // Locked first, in the same order by every caller, so that the next statement reads what all earlier ones committed.
  await trx
    .selectFrom('users')
    .select('clerk_id')
    .where('clerk_id', 'in', ids)
    .orderBy('clerk_id')
    .forUpdate()
    .execute()
  const live = sql.join(liveStatuses.map((status) => sql.lit(status)))
  await sql`
    UPDATE users SET plan_type = plan.plan_type, updated_at = now()
    FROM (
      SELECT clerk_id, coalesce(
        (SELECT s.plan_type FROM subscriptions s
          WHERE s.owner_kind = 'user' AND s.owner_id = u.clerk_id AND s.status IN (${live})
            AND s.livemode = stripe_livemode()),
        (SELECT 'teams' FROM seats
          JOIN subscriptions s ON s.owner_kind = 'organization' AND s.owner_id = seats.organization_id
            AND s.status IN (${live}) AND s.livemode = stripe_livemode()
          WHERE seats.user_id = u.clerk_id AND seats.status = 'active' LIMIT 1),
        'starter') AS plan_type
      FROM users u WHERE u.clerk_id = ANY (${ids})
    ) AS plan
    WHERE users.clerk_id = plan.clerk_id AND users.plan_type <> plan.plan_type
  `.execute(trx)
}
