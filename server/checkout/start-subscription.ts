import { randomUUIDv7 } from 'node:crypto'
import pg from 'pg'
import {
  type CheckoutIntent,
  insertIntent,
  type NewCheckoutIntent,
  recordParams,
} from '../../schema/billing/checkout/intents.ts'
import { findOffer } from '../../schema/billing/checkout/offers.ts'
import { findOpenCheckout } from '../../schema/billing/checkout/open-checkouts.ts'
import { findLiveSubscription, findLiveTeam } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Currency } from '../../schema/catalogue/currency.ts'
import type { BillingFrequency, PlanType } from '../../schema/catalogue/plans.ts'
import type { Database } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidRequest, refusal, ServerError, tooManySeats } from '../errors.ts'
import type { FoundPrice } from '../stripe-catalogue.ts'
import { closeOpenCheckout } from './close-open-checkout.ts'
import { type CheckoutToOpen, type OpenedCheckout, openSession } from './open-session.ts'
import type { Payer } from './payer.ts'
import { type ReturnAddresses, subscriptionParams } from './session-params.ts'

interface SubscriptionRequest {
  readonly user_id: string
  /** Null for an organization that is created when the plan is paid. */
  readonly owner_id: string | null
  /** Of that organization, when the buyer has chosen one. */
  readonly organization_name?: string | null
  /** The buyer's own plan, when it ends in favor of this one. */
  readonly ends_subscription_id?: string | null
  readonly plan_type: PlanType
  readonly billing_frequency: BillingFrequency
  readonly currency: Currency
  readonly seats: number
}

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
  const { request, payer, returns } = purchase
  const { plan_type, billing_frequency, currency, seats, ...receiver } = request
  const { maximum_seats: most } = deps.settings
  if (seats > most) throw tooManySeats({ most, has: 0 })
  const price = await deps.catalogue.findPrice(request)
  if (!isPrice(purchase.shown_price, price)) {
    const text = 'This is not the price of the plan. Please reload the page.'
    throw invalidRequest(text, [{ path: 'priceId', message: 'Not the catalogue price' }], 'price_mismatch')
  }
  await requireNoSubscription(deps.db, request)
  const sold = { plan_type, billing_frequency, currency }
  const { id: offer_id, trial_days } = await findOffer(deps.db, sold, request.user_id)
  const paramsOf = (intent: CheckoutIntent) =>
    subscriptionParams(intent, { price_id: price.price_id, returns, collected: deps.settings })
  for (let attempt = 0; attempt < maximumAttempts; attempt++) {
    const created_at = deps.now()
    const next_try_at = new Date(created_at.getTime() + deps.settings.claim_after_ms)
    const asked = { offer_id, quantity: seats, trial_days, created_at, next_try_at }
    const wanted = { id: randomUUIDv7(), ...receiver, ...asked }
    const open = await findOpenCheckout(deps.db, request)
    const existing = open && (await closeOpenCheckout(deps, { found: open, wanted, payer }, requestLog))
    if (existing) return existing
    const checkout = await insertIfFree(deps.db, wanted, paramsOf)
    if (!checkout) continue
    requestLog.note({ intent_id: wanted.id })
    return openSession(deps, { ...checkout, payer }, requestLog)
  }
  throw refusal('checkout_in_progress', { retry_after_s: 5 })
}

/** The buyer's own plan that ends when a Teams plan is paid, if they want it to (decision 054). */
export async function ownPlanToEnd(
  db: Database,
  userId: string,
  isWanted: boolean | undefined,
): Promise<string | null> {
  const live = isWanted ? await findLiveSubscription(db, userId) : undefined
  return live?.stripe_subscription_id ?? null
}

function isPrice(shown: string | undefined, price: FoundPrice): boolean {
  return shown === undefined || shown === price.lookup_key || shown === price.price_id
}

/** Commits the intent unless the owner has another open one or, checked after the insert, a subscription. */
async function insertIfFree(
  db: Database,
  order: NewCheckoutIntent,
  paramsOf: (intent: CheckoutIntent) => CheckoutToOpen['params'],
): Promise<Pick<CheckoutToOpen, 'intent' | 'params'> | null> {
  try {
    return await retryTransaction(db, async (trx) => {
      const intent = await insertIntent(trx, order)
      await requireNoSubscription(trx, order)
      const params = paramsOf(intent)
      await recordParams(trx, { id: intent.id, session_params: JSON.stringify(params) })
      return { intent, params }
    })
  } catch (error) {
    const isTaken =
      error instanceof pg.DatabaseError && error.constraint === 'checkout_intents_one_subscription'
    if (isTaken) return null
    throw error
  }
}

/** For a new organization the buyer's teams are checked: a second click must not buy a second team. */
async function requireNoSubscription(
  db: Database,
  request: Pick<SubscriptionRequest, 'user_id' | 'owner_id'>,
): Promise<void> {
  const { owner_id } = request
  if (owner_id === null) {
    const text =
      'You already have a Teams subscription. Add seats to it on the Organizations page, or subscribe another organization there.'
    if (await findLiveTeam(db, request.user_id)) throw new ServerError(409, 'already_subscribed', text)
    return
  }
  const text =
    kindOf(owner_id) === 'user'
      ? 'You already have a subscription. Open the billing portal to change it.'
      : 'This organization already has a subscription. Open its billing portal to change it.'
  if (await findLiveSubscription(db, owner_id)) throw new ServerError(409, 'already_subscribed', text)
}
