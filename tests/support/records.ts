import { randomUUID } from 'node:crypto'
import { attachSession, insertIntent, type NewCreditPurchase } from '../../schema/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { houseLeg, type Transfer } from '../../schema/ledger/post.ts'
import { ensureUser } from '../../schema/users/users.ts'

/** Rows that tests begin with, written through the same functions as the product's. */

export async function insertUser(
  db: Database,
  clerkId = `user_${randomUUID().slice(0, 8)}`,
): Promise<string> {
  await ensureUser(db, {
    clerk_id: clerkId,
    email: `${clerkId}@tidemark.test`,
    first_name: 'Ada',
    last_name: null,
    profile_updated_at: new Date(),
  })
  return clerkId
}

/** A purchase of 500 credits by a new user, with a session when one is named. */
export async function insertPurchase(
  db: Database,
  options: Partial<NewCreditPurchase> & { stripe_session_id?: string } = {},
): Promise<NewCreditPurchase> {
  const { stripe_session_id, ...fields } = options
  const userId = fields.user_id ?? (await insertUser(db))
  const intent: NewCreditPurchase = {
    id: randomUUID(),
    kind: 'credit_purchase',
    user_id: userId,
    owner_kind: 'user',
    owner_id: userId,
    credits: 500,
    amount_minor: 700,
    currency: 'EUR',
    sweep_at: new Date(Date.now() + 60_000),
    ...fields,
  }
  await insertIntent(db, intent)
  if (stripe_session_id) await attachSession(db, { id: intent.id, stripe_session_id })
  return intent
}

/** A grant of purchased credits that hangs on no intent. */
export function grantOf(owner_id: string, credits: number, fields: Partial<Transfer> = {}): Transfer {
  return {
    idempotency_key: `adjustment/${randomUUID()}`,
    kind: 'adjustment',
    occurred_at: new Date('2026-01-02T03:04:05Z'),
    intent_id: null,
    event_id: null,
    actor: 'test',
    reason: 'Test grant',
    legs: [
      { owner_kind: 'user', owner_id, account: 'purchased', amount: credits },
      houseLeg('adjusted', -credits),
    ],
    ...fields,
  }
}
