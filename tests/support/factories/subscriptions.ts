import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { attachSession, insertIntent } from '../../../schema/checkout/intents.ts'
import type { Subscriptions } from '../../../schema/database/types.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import type { TestDatabase } from '../database/test-database.ts'

const day = 24 * 3600 * 1000

/** A bought and applied subscription with its settled intent; `fields` override its columns. */
export async function buildSubscription(
  database: TestDatabase,
  bought: {
    readonly owner: Owner
    readonly user_id: string
    readonly seats?: number
    readonly trial_days?: number
    readonly fields?: Partial<Insertable<Subscriptions>>
  },
): Promise<{ id: string; intent_id: string; session_id: string }> {
  const { owner, user_id, seats = 1, trial_days = 0, fields } = bought
  const isTeam = owner.owner_kind === 'organization'
  const intent_id = randomUUID()
  const session_id = `cs_test_${intent_id}`
  const id = fields?.stripe_subscription_id ?? `sub_${intent_id.replaceAll('-', '')}`
  const plan = {
    ...owner,
    user_id,
    plan_type: isTeam ? 'teams' : 'pro',
    billing_frequency: 'monthly',
    currency: 'EUR',
    credits_per_seat: 500,
  } as const
  await insertIntent(database.server, {
    ...plan,
    id: intent_id,
    kind: 'subscription',
    seats,
    trial_days,
    credits: 500 * seats,
    amount_minor: (isTeam ? 3000 : 2000) * seats,
    created_at: new Date(),
    next_try_at: new Date(Date.now() + day),
  })
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
        ...plan,
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
