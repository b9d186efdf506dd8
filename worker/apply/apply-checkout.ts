import { sql } from 'kysely'
import { lockIntent, recipientOf } from '../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { postTransfer } from '../../schema/ledger/post.ts'
import { settleDebt } from '../../schema/ledger/settle-debt.ts'
import { type CheckoutDecision, type CheckoutNews, decideCheckout } from './decide-checkout.ts'

/**
 * Carries out what follows from the news, inside the caller's transaction. The webhook, the return page and the sweep all end
 * here. Returns undefined when there is no such intent (yet).
 */
export async function applyCheckout(
  trx: DatabaseTransaction,
  intentId: string,
  news: CheckoutNews,
): Promise<CheckoutDecision | undefined> {
  const intent = await lockIntent(trx, intentId)
  if (!intent) return undefined
  const decision = decideCheckout(intent, news)
  const change = changeOf(decision)
  if (decision.action === 'settle') {
    await postTransfer(trx, decision.transfer)
    const recipient = recipientOf(intent)
    if (recipient) await settleDebt(trx, recipient, decision.transfer)
  }
  if (change) {
    await trx
      .updateTable('checkout_intents')
      .set({ ...change, stripe_session_id: news.session.id, updated_at: sql`now()` })
      .where('id', '=', intent.id)
      .execute()
  }
  return decision
}

function changeOf(decision: CheckoutDecision) {
  switch (decision.action) {
    case 'settle':
      return { state: 'settled', settled_at: sql<Date>`clock_timestamp()`, failure_reason: null } as const
    case 'await_payment':
      return { state: 'awaiting_payment' } as const
    case 'fail':
      return { state: 'failed', failure_reason: decision.reason } as const
    case 'expire':
      return { state: 'expired' } as const
    case 'none':
      return null
  }
}
