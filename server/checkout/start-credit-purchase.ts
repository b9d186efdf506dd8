import { insertOrFindIntent } from '../../schema/billing/checkout/intents.ts'
import { findOffer } from '../../schema/billing/checkout/offers.ts'
import { chooseCurrency } from '../../schema/billing/customers/currency.ts'
import { findLiveSubscription, isOverdue } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Currency } from '../../schema/catalogue/currency.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { currencyBound, refusal } from '../errors.ts'
import { offeredCards, offeredWhileOverdue } from './offered-card.ts'
import { type OpenedCheckout, openSession } from './open-session.ts'
import { type OwningPayer, personalPayer } from './payer.ts'
import { creditPurchaseParams, type ReturnAddresses } from './session-params.ts'

export interface CreditPurchase {
  /** Becomes the intent's id: a second try with the same one ends in the same checkout. */
  readonly attempt_id: string
  readonly user_id: string
  /** The organization that pays and receives the credits; left out, the buyer does. */
  readonly payer?: OwningPayer
  readonly credits: number
  /** As shown to the buyer; left out, the payer's. */
  readonly currency: Currency | undefined
  readonly returns: ReturnAddresses
}

/** Commits the intent before calling Stripe, so that every payment matches recorded terms. */
export async function startCreditPurchase(
  deps: Dependencies,
  purchase: CreditPurchase,
  requestLog: RequestLog,
): Promise<OpenedCheckout> {
  const user = await findOrCreateAccount(deps, purchase.user_id)
  const payer = purchase.payer ?? personalPayer(user)
  const { owner_id } = payer
  const { code: currency } = await chooseCurrency(deps.db, owner_id, purchase.currency)
  if (purchase.currency && purchase.currency !== currency) throw currencyBound(currency)
  const created_at = deps.now()
  const sold = { plan_type: null, billing_frequency: null, currency }
  const intent = await insertOrFindIntent(deps.db, {
    id: purchase.attempt_id,
    user_id: user.clerk_id,
    owner_id,
    offer_id: (await findOffer(deps.db, sold, user.clerk_id)).id,
    quantity: purchase.credits,
    created_at,
    next_try_at: new Date(created_at.getTime() + deps.settings.claim_after_ms),
  })
  requestLog.note({ intent_id: purchase.attempt_id })
  if (!intent) throw refusal('checkout_superseded')
  const params = creditPurchaseParams(intent, {
    returns: purchase.returns,
    collected: deps.settings,
    offered: isOverdue(await findLiveSubscription(deps.db, owner_id)) ? offeredWhileOverdue : offeredCards,
  })
  return openSession(deps, { intent, payer, params }, requestLog)
}
