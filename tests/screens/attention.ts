import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../schema/database/types.ts'
import { failEvent } from '../../schema/inbox/events.ts'
import { storeEvent } from '../../schema/inbox/store-event.ts'
import { setBudget } from '../../schema/ledger/budgets.ts'
import { spendCredits } from '../../schema/ledger/spend/usage.ts'
import { withDatabase } from '../e2e/support/product.ts'
import { buildGrant, postTransfer } from '../support/factories/transfers.ts'

/**
 * What support meets on a bad day, about one person and beside them: credits that are not explained, events
 * that were given up, and a request that a limit refused. All of it by the verbs of `schema`; the books are right again when this ends, so
 * that a proof finds nothing.
 */
export function needAttention(userId: string): Promise<void> {
  return withDatabase(async (db) => {
    await postTransfer(db, buildGrant(userId, 250, { reason: 'Goodwill' }))
    await passLimit(db, userId)
    await giveUp(db, {
      source: 'stripe',
      type: 'invoice.paid',
      object: { id: 'in_1WithoutCustomer', object: 'invoice', customer: 'cus_OfAnEarlierApplication' },
      reason: 'The invoice in_1WithoutCustomer is of a subscription that no checkout of ours began',
    })
    await giveUp(db, {
      source: 'clerk',
      type: 'organizationMembership.created',
      object: { id: 'orgmem_attention', public_user_data: { user_id: userId } },
      reason: 'The membership orgmem_attention names no organization',
    })
  })
}

/** Their own limit refuses a request. */
async function passLimit(db: Database, owner_id: string): Promise<void> {
  const now = new Date()
  const limit = { owner_id, scope: 'own', user_id: null, credits: 100, period: 'month' } as const
  await setBudget(db, { ...limit, set_by: owner_id, now })
  const usage = { owner_id, actor: owner_id, reason: 'Chat', occurred_at: now }
  await spendCredits(db, [{ ...usage, credits: 120, idempotency_key: randomUUID() }])
}

type Database = Parameters<typeof storeEvent>[0]

async function giveUp(
  db: Database,
  event: { source: 'stripe' | 'clerk'; type: string; object: JsonObject; reason: string },
): Promise<void> {
  const { source, type, object, reason } = event
  const now = new Date()
  const id = `${source === 'stripe' ? 'evt' : 'msg'}_${randomUUID().replaceAll('-', '')}`
  const payload = { id, object: 'event', type, data: source === 'stripe' ? { object } : object }
  await storeEvent(db, {
    source,
    id,
    type,
    payload,
    occurred_at: now,
    received_at: now,
    next_try_at: new Date(now.getTime() + 3_600_000),
  })
  await failEvent(db, { source, id }, { reason, now })
}
