import { expect } from 'vitest'
import { unfinishedStates } from '../../schema/billing/checkout/intents.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { patience_ms } from './seed.ts'

/** Lets time pass until the person's state is final, and compares it with Stripe. */
export async function settlePurchases(
  product: FaultyProduct,
  { userId, since }: { userId: string; since: Date },
): Promise<void> {
  await waitUntil(
    async () => {
      await product.rest()
      const differences = await differencesOf(product, { userId, since })
      if (differences.length === 0) return true
      product.clock.advance(10 * 60_000)
      await product.claim()
      return false
    },
    async () =>
      `nothing to differ from Stripe\n${JSON.stringify(await differencesOf(product, { userId, since }), null, 2)}`,
    10 * patience_ms,
  )
  // A grant that came twice would show only now: whatever is still in the queue must not change the books.
  expect(await differencesOf(product, { userId, since })).toEqual([])
}

/**
 * Excludes checkouts without an end from later histories, whose days would keep the worker busy with them.
 */
export async function putAside(product: FaultyProduct, userId: string): Promise<void> {
  await product.database.owner
    .updateTable('checkout_intents')
    .set({ state: 'expired' })
    .where('user_id', '=', userId)
    .where('state', 'in', unfinishedStates)
    .execute()
}

/** Everything in which our books differ from what Stripe says; empty when all is settled. */
async function differencesOf(
  product: FaultyProduct,
  { userId, since }: { userId: string; since: Date },
): Promise<string[]> {
  const db = product.database.owner
  const intents = await db.selectFrom('checkout_intents').selectAll().where('user_id', '=', userId).execute()
  const differences: string[] = []
  let paid = 0
  const { data: sessions } = await product.stripe.client.checkout.sessions.list({ limit: 100 })
  for (const intent of intents) {
    const session = sessions.find((candidate) => candidate.client_reference_id === intent.id)
    const expected = await expectedState(product, session)
    if (expected === 'settled') paid += intent.credits
    // Killed before it asked Stripe: there is no page, and the intent expires after two days.
    if (!session && intent.stripe_session_id === null && ['created', 'expired'].includes(intent.state))
      continue
    if (intent.state !== expected) differences.push(`intent ${intent.id} is ${intent.state}, not ${expected}`)
  }
  const { total } = await findBalance(db, userId)
  if (total !== paid) differences.push(`the balance is ${total}, paid were ${paid}`)
  const waiting = await db
    .selectFrom('inbox_events')
    .select(['id', 'last_error'])
    .where('state', '=', 'received')
    .where('received_at', '>=', since)
    .execute()
  for (const event of waiting) differences.push(`event ${event.id} waits: ${event.last_error}`)
  const failed = await db
    .selectFrom('inbox_events')
    .select(['id', 'reason'])
    .where('state', '=', 'failed')
    .where('received_at', '>=', since)
    .execute()
  for (const event of failed) differences.push(`event ${event.id} failed: ${event.reason}`)
  return differences
}

type Session = Awaited<
  ReturnType<FaultyProduct['stripe']['client']['checkout']['sessions']['list']>
>['data'][number]

async function expectedState(product: FaultyProduct, session: Session | undefined): Promise<string> {
  if (!session) return 'failed'
  if (session.payment_status === 'paid') return 'settled'
  if (session.status !== 'complete') return session.status ?? 'open'
  const { payment_intent } = await product.stripe.client.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent'],
  })
  const status = payment_intent && typeof payment_intent === 'object' ? payment_intent.status : null
  return status === 'processing' ? 'awaiting_payment' : 'failed'
}
