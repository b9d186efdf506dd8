import pg from 'pg'
import { insertIntent, type NewSubscriptionCheckout } from '../../schema/checkout/intents.ts'
import { findOpenCheckout, hasEverSubscribed } from '../../schema/checkout/open-checkouts.ts'
import type { Database } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { findLiveSubscription, findLiveTeam } from '../../schema/subscriptions/subscriptions.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyHasTeam, alreadySubscribed, checkoutInProgress, priceMismatch } from '../errors.ts'
import type { FoundPrice } from '../stripe-catalogue.ts'
import { closeOpenCheckout } from './close-open-checkout.ts'
import { type OpenedCheckout, openSession } from './open-session.ts'
import type { Payer } from './payer.ts'
import { type ReturnAddresses, subscriptionParams } from './session-params.ts'
import { type SubscriptionRequest, subscriptionTerms } from './subscription-terms.ts'

export interface SubscriptionPurchase {
  readonly request: SubscriptionRequest
  readonly payer: Payer
  /** The price that the buyer was shown, if the request names it. */
  readonly shown_price: string | undefined
  readonly returns: ReturnAddresses
}

/** People do not replace each other's checkouts more often than this; a loop would. */
const maximumAttempts = 5

/**
 * Opens the payment page of a plan. An owner has one live subscription, and one open checkout for it at a
 * time: one with the same terms is reused, any other is closed at Stripe first. The unique index decides
 * between concurrent calls; the loser tries again.
 */
export async function startSubscription(
  deps: Dependencies,
  purchase: SubscriptionPurchase,
  requestLog: RequestLog,
): Promise<OpenedCheckout> {
  const { request, payer } = purchase
  const price = await deps.catalogue.findPrice(request)
  if (!isPrice(purchase.shown_price, price)) throw priceMismatch()
  await requireNoSubscription(deps.db, request)
  const trial_days = await trialDaysFor(deps, request)
  for (let attempt = 0; attempt < maximumAttempts; attempt++) {
    const created_at = deps.now()
    const next_try_at = new Date(created_at.getTime() + deps.settings.claim_after_ms)
    const terms = { price_minor: price.amount_minor, trial_days, created_at, next_try_at }
    const intent = subscriptionTerms(request, terms)
    const open = await findOpenCheckout(deps.db, request)
    const existing =
      open && (await closeOpenCheckout(deps, { found: open, wanted: intent, payer }, requestLog))
    if (existing) return existing
    const { returns } = purchase
    const params = subscriptionParams(intent, { price_id: price.price_id, returns, collected: deps.settings })
    if (!(await insertIfFree(deps.db, { ...intent, session_params: JSON.stringify(params) }))) continue
    requestLog.note({ intent_id: intent.id })
    return openSession(deps, { intent, payer, params }, requestLog)
  }
  throw checkoutInProgress()
}

/** The buyer's own plan that ends when a Teams plan is paid, if they want it to (decision 054). */
export async function ownPlanToEnd(
  db: Database,
  userId: string,
  isWanted: boolean | undefined,
): Promise<string | null> {
  const live = isWanted ? await findLiveSubscription(db, { owner_kind: 'user', owner_id: userId }) : undefined
  return live?.stripe_subscription_id ?? null
}

function isPrice(shown: string | undefined, price: FoundPrice): boolean {
  return shown === undefined || shown === price.lookup_key || shown === price.price_id
}

async function trialDaysFor(deps: Dependencies, request: SubscriptionRequest): Promise<number> {
  const days = request.plan_type === 'pro' ? deps.settings.pro_trial_days : 0
  return days > 0 && !(await hasEverSubscribed(deps.db, request.user_id)) ? days : 0
}

/** Commits the intent unless the owner has another open one or, checked after the insert, a subscription. */
async function insertIfFree(db: Database, intent: NewSubscriptionCheckout): Promise<boolean> {
  try {
    await retryTransaction(db, async (trx) => {
      await insertIntent(trx, intent)
      await requireNoSubscription(trx, intent)
    })
    return true
  } catch (error) {
    const isTaken =
      error instanceof pg.DatabaseError && error.constraint === 'checkout_intents_one_subscription'
    if (isTaken) return false
    throw error
  }
}

/** For a new organization the buyer's teams are checked: a second click must not buy a second team. */
async function requireNoSubscription(
  db: Database,
  request: Pick<SubscriptionRequest, 'user_id' | 'owner_kind' | 'owner_id'>,
): Promise<void> {
  const { owner_kind, owner_id } = request
  if (owner_id === null) {
    if (await findLiveTeam(db, request.user_id)) throw alreadyHasTeam()
    return
  }
  if (await findLiveSubscription(db, { owner_kind, owner_id })) throw alreadySubscribed(owner_kind)
}
