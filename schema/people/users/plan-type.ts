import { type Kysely, sql } from 'kysely'
import type { PlanType } from '../../catalogue/plans.ts'
import { freePlan } from '../../catalogue/sold-plans.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { liveStatuses } from '../../vendors/stripe/statuses.ts'

/**
 * Writes the plan that people are shown: their own live subscription's, else that of an organization in
 * which they have a seat, else the free one. Every change of a seat or a subscription calls
 * it in the same transaction, as the last step. People without an account yet are skipped.
 */
export async function refreshPlanType(trx: DatabaseTransaction, userIds: readonly string[]): Promise<void> {
  const ids = [...new Set(userIds)]
  if (ids.length === 0) return
  // Locked first, in the same order by every caller, so that the next statement reads what all earlier ones
  // committed.
  await trx
    .selectFrom('users')
    .select('clerk_id')
    .where('clerk_id', 'in', ids)
    .orderBy('clerk_id')
    .forUpdate()
    .execute()
  await sql`
    UPDATE users SET plan_type = plan.plan_type
    FROM (SELECT clerk_id, ${planTypeDue} AS plan_type FROM users u WHERE u.clerk_id = ANY (${ids})) AS plan
    WHERE users.clerk_id = plan.clerk_id AND users.plan_type <> plan.plan_type
  `.execute(trx)
}

const live = sql.join(liveStatuses.map((status) => sql.lit(status)))
/** The plan that a row `u` of the users should have. */
const planTypeDue = sql<PlanType>`coalesce(
  (SELECT s.plan_type FROM subscriptions s
    WHERE s.owner_id = u.clerk_id AND s.status IN (${live})
      AND s.livemode = stripe_livemode()),
  (SELECT s.plan_type FROM seats
    JOIN subscriptions s ON s.owner_id = seats.organization_id
      AND s.status IN (${live}) AND s.livemode = stripe_livemode()
    WHERE seats.user_id = u.clerk_id AND seats.status = 'active' LIMIT 1),
  ${sql.lit(freePlan.plan_type)})`

/**
 * The plan that a person is shown, and the one that they should be shown; undefined for people without an
 * account.
 */
export async function comparePlanType(
  db: Kysely<DB>,
  userId: string,
): Promise<{ readonly is: PlanType; readonly should: PlanType } | undefined> {
  const { rows } = await sql<{ is: PlanType; should: PlanType }>`
    SELECT u.plan_type AS is, ${planTypeDue} AS should FROM users u WHERE u.clerk_id = ${userId}`.execute(db)
  return rows[0]
}
