import { randomUUID } from 'node:crypto'
import { attachSession, insertIntent, type NewCreditPurchase } from '../../../schema/checkout/intents.ts'
import { settleIntent } from '../../../schema/checkout/outcomes.ts'
import type { Database } from '../../../schema/database/connect.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildUser } from './users.ts'

/** A purchase of 500 credits by a new user, with a session when one is named. */
export async function buildPurchase(
  db: Database,
  options: Partial<NewCreditPurchase> & { stripe_session_id?: string } = {},
): Promise<NewCreditPurchase> {
  const { stripe_session_id, ...fields } = options
  const userId = fields.user_id ?? (await buildUser(db))
  const intent: NewCreditPurchase = {
    id: randomUUID(),
    kind: 'credit_purchase',
    user_id: userId,
    owner_kind: 'user',
    owner_id: userId,
    credits: 500,
    amount_minor: 700,
    currency: 'EUR',
    created_at: new Date(),
    next_try_at: new Date(Date.now() + 60_000),
    ...fields,
  }
  await insertIntent(db, intent)
  if (stripe_session_id) await attachSession(db, { id: intent.id, stripe_session_id })
  return intent
}

/** The same, paid: its intent is settled, and granting the credits is left to the caller. */
export async function buildSettledPurchase(
  { server, worker }: Pick<TestDatabase, 'server' | 'worker'>,
  options: Partial<NewCreditPurchase> & { stripe_session_id: string },
): Promise<NewCreditPurchase> {
  const intent = await buildPurchase(server, options)
  const { stripe_session_id } = options
  await worker.transaction().execute((trx) => settleIntent(trx, { id: intent.id, stripe_session_id }))
  return intent
}
