import type { Kysely } from 'kysely'
import { findLiveSubscription } from '../billing/subscriptions/subscriptions.ts'
import type { PlanType } from '../catalogue/plans.ts'
import type { DB } from '../database/types.ts'
import { kindOf } from '../ledger/accounts.ts'
import { comparePlanType } from '../people/users/plan-type.ts'

/**
 * The stored plan and the one that subscriptions and seats imply. Null for organizations and unknown users.
 */
export async function findPlanTypes(
  db: Kysely<DB>,
  owner_id: string,
): Promise<{ readonly is: PlanType | null; readonly should: PlanType | null }> {
  if (kindOf(owner_id) === 'organization') {
    const live = await findLiveSubscription(db, owner_id)
    return { is: live?.plan_type ?? null, should: live?.plan_type ?? null }
  }
  return (await comparePlanType(db, owner_id)) ?? { is: null, should: null }
}

export async function findSeatFigures(
  db: Kysely<DB>,
  organizationId: string,
): Promise<{ total: number; held: number; active: number; pending: number }> {
  const subscription = await findLiveSubscription(db, organizationId)
  const { active, pending } = await db
    .selectFrom('seats')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'active').as('active'),
      fn.countAll<number>().filterWhere('status', '=', 'pending').as('pending'),
    ])
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['active', 'pending'])
    .executeTakeFirstOrThrow()
  return { total: subscription?.seats_total ?? 0, held: active + pending, active, pending }
}
