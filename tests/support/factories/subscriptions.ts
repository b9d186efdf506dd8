import type { Insertable } from 'kysely'
import { attachSession } from '../../../schema/billing/checkout/intents.ts'
import { personalPlan, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import type { Subscriptions } from '../../../schema/database/types.ts'
import { kindOf } from '../../../schema/ledger/accounts.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildPlanOrder } from './purchases.ts'

const day = 24 * 3600 * 1000

/** A bought and applied subscription with its settled intent; `fields` override its columns. */
export async function buildSubscription(
  database: TestDatabase,
  bought: {
    readonly owner_id: string
    readonly user_id: string
    readonly seats?: number
    readonly trial_days?: number
    readonly fields?: Partial<Insertable<Subscriptions>>
  },
): Promise<{ id: string; intent_id: string; session_id: string }> {
  const { owner_id, user_id, seats = 1, trial_days = 0, fields } = bought
  const { plan_type } = kindOf(owner_id) === 'organization' ? teamPlan : personalPlan
  const order = { owner_id, user_id, plan_type, seats, trial_days }
  const { id: intent_id, billing_frequency, currency } = await buildPlanOrder(database, order)
  const session_id = `cs_test_${intent_id}`
  const id = fields?.stripe_subscription_id ?? `sub_${intent_id.replaceAll('-', '')}`
  await attachSession(database.server, { id: intent_id, stripe_session_id: session_id })
  await database.worker.transaction().execute(async (trx) => {
    await trx
      .updateTable('checkout_intents')
      .set({ state: 'settled', settled_at: new Date() })
      .where('id', '=', intent_id)
      .execute()
    await trx
      .insertInto('subscriptions')
      .values({
        owner_id,
        user_id,
        plan_type,
        billing_frequency: billing_frequency ?? 'monthly',
        currency,
        credits_per_seat: 500,
        stripe_subscription_id: id,
        intent_id,
        status: 'active',
        seats_total: seats,
        current_period_start: new Date(Date.now() - day),
        current_period_end: new Date(Date.now() + 29 * day),
        snapshot_order: 1,
        next_try_at: new Date(Date.now() + day),
        ...fields,
      })
      .execute()
  })
  return { id, intent_id, session_id }
}
