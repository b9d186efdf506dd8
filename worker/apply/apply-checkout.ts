import { lockIntent } from '../../schema/checkout/intents.ts'
import { closeUnpaidIntent, settleIntent } from '../../schema/checkout/outcomes.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { reconcilePurchase } from '../books/reconcile.ts'
import { type CheckoutDecision, type CheckoutNews, decideCheckout } from './decide-checkout.ts'

/**
 * Carries out what follows from the news, inside the caller's transaction. The webhook, the return page and the sweep all call
 * it. Returns undefined when there is no such intent (yet).
 */
export async function applyCheckout(
  trx: DatabaseTransaction,
  intentId: string,
  news: CheckoutNews,
): Promise<CheckoutDecision | undefined> {
  const intent = await lockIntent(trx, intentId)
  if (!intent) return undefined
  const decision = decideCheckout(intent, news)
  const key = { id: intent.id, stripe_session_id: news.session.id }
  switch (decision.action) {
    case 'settle':
      await settleIntent(trx, key)
      await reconcilePurchase(trx, { ...intent, ...key }, { ...news, now: news.occurred_at })
      break
    case 'await_payment':
      await closeUnpaidIntent(trx, { ...key, state: 'awaiting_payment' })
      break
    case 'fail':
      await closeUnpaidIntent(trx, { ...key, state: 'failed', failure_reason: decision.reason })
      break
    case 'expire':
      await closeUnpaidIntent(trx, { ...key, state: 'expired' })
      break
    case 'none':
  }
  return decision
}
