import { randomUUID } from 'node:crypto'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import type { Currency } from '../../schema/catalogue/currency.ts'
import { insertIntent, type NewCheckoutIntent } from '../../schema/checkout/intents.ts'
import { ClerkAwayError } from '../../schema/clerk/errors.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import type { Trace } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { initializeFailed } from '../errors.ts'
import { openSession, type ReturnAddresses } from './open-session.ts'

export interface CreditPurchase {
  readonly user_id: string
  readonly credits: number
  readonly currency: Currency
  readonly returns: ReturnAddresses
}

/**
 * Intent first: what is promised is committed before Stripe hears of it, so that whatever happens next, money that comes in
 * finds what it was for.
 */
export async function startCreditPurchase(
  deps: Dependencies,
  purchase: CreditPurchase,
  trace: Trace,
): Promise<{ url: string; sessionId: string; intentId: string }> {
  const user = await findOrCreateAccount(deps, purchase.user_id).catch((error: unknown) => {
    throw error instanceof ClerkAwayError ? initializeFailed(error) : error
  })
  const intent: NewCheckoutIntent = {
    id: randomUUID(),
    kind: 'credit_purchase',
    user_id: user.clerk_id,
    owner_kind: 'user',
    owner_id: user.clerk_id,
    credits: purchase.credits,
    amount_minor: creditsCostMinor(purchase.credits),
    currency: purchase.currency,
    sweep_at: new Date(deps.now().getTime() + deps.settings.sweep_after_ms),
  }
  trace.note({ intent_id: intent.id })
  await insertIntent(deps.db, intent)
  const session = await openSession(deps, intent, { user, returns: purchase.returns })
  trace.note({ session_id: session.id })
  return { url: session.url, sessionId: session.id, intentId: intent.id }
}
