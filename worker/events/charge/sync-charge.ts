import { failureOf } from '../../../schema/api/failures.ts'
import { type ChargeSnapshot, findCharge, saveCharge } from '../../../schema/billing/charges/charges.ts'
import { findIntent, lockIntent } from '../../../schema/billing/checkout/intents.ts'
import { findSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { idsOf, withTransfers } from '../../../schema/vendors/stripe/log-ids.ts'
import { type Cause, postPlanDifference, postPurchaseDifference } from '../../books/post-difference.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError } from '../../errors.ts'
import { foundOrForeign } from '../foreign.ts'
import { doneAlready, ignore, type Nothing, type Outcome } from '../outcome.ts'
import {
  applySubscriptions,
  fetchSubscriptionToApply,
  type SubscriptionToApply,
} from '../subscription/sync-subscription.ts'
import { requireCredits } from '../terms.ts'
import { type FetchedCharge, fetchCharge } from './fetch-charge.ts'

export interface ChargeToApply {
  readonly of: 'charge'
  readonly charge: FetchedCharge
  /** The subscription whose invoice it paid; null for a purchase of credits. */
  readonly subscription: SubscriptionToApply | null
}

/** Fetches a charge, for refunds, disputes and their ends, and the subscription whose invoice it paid. */
export async function fetchChargeToApply(
  deps: WorkerDependencies,
  id: string,
): Promise<ChargeToApply | Nothing> {
  const isKnown = async () => (await findCharge(deps.db, id)) !== undefined
  const charge = await foundOrForeign(id, () => fetchCharge(deps, id), isKnown)
  if (!charge) return ignore('not_sold', { id })
  if ('of' in charge) return charge
  const { intent_id, subscription_id, remark } = charge
  if (intent_id) requireCredits(await findIntent(deps.db, intent_id))
  if (remark) deps.log.warn({ charge_id: id }, remark)
  const subscription = subscription_id ? await fetchSubscriptionToApply(deps, subscription_id) : null
  return subscription?.of === 'nothing' ? subscription : { of: 'charge', charge, subscription }
}

/**
 * Writes down what was refunded and disputed of a charge, and makes the owner's books agree with it. Of a
 * charge of a subscription the subscription is applied too, so that the invoice it paid is known.
 */
export async function applyCharge(
  trx: DatabaseTransaction,
  { charge, subscription }: ChargeToApply,
  cause: Cause,
): Promise<Outcome> {
  const { intent_id, subscription_id, remark, ...snapshot } = charge
  if (intent_id) return applyToPurchase(trx, { intent_id, ...snapshot, remark }, cause)
  // Before the subscription posts: a month that begins in the books then covers no usage with what went back.
  const known = await findSubscriber(trx, subscription_id)
  const isSaved = known && (await saveChargeOf(trx, known, snapshot))
  const applied = subscription && (await applySubscriptions(trx, subscription, cause))
  const owner_id = known ?? (await findSubscriber(trx, subscription_id))
  if (!owner_id) throw notCommitted(charge.stripe_charge_id)
  if (!(isSaved ?? (await saveChargeOf(trx, owner_id, snapshot)))) return doneAlready
  const transfer_ids = await postPlanDifference(trx, owner_id, cause)
  const ids = idsOf({ ...applied?.ids, subscription_id, charge_id: charge.stripe_charge_id })
  const all = [...(applied?.ids?.transfer_ids ?? []), ...transfer_ids]
  return { state: 'applied', reason: remark, ids: withTransfers(ids, all) }
}

const notCommitted = (id: string) => new NotYetError('not_found', { what: 'purchase', id })

async function findSubscriber(trx: DatabaseTransaction, id: string | null): Promise<string | null> {
  const row = id === null ? undefined : await findSubscription(trx, id)
  return row?.owner_id ?? null
}

type Snapshot = Omit<ChargeSnapshot, 'owner_id' | 'intent_id'>

/** The owner before the charge, as everything locks them that posts. */
async function saveChargeOf(
  trx: DatabaseTransaction,
  owner_id: string,
  snapshot: Snapshot,
): Promise<boolean> {
  await lockOwner(trx, owner_id)
  return saveCharge(trx, { ...snapshot, owner_id, intent_id: null })
}

async function applyToPurchase(
  trx: DatabaseTransaction,
  { remark, ...charge }: Snapshot & { readonly intent_id: string; readonly remark: string | null },
  cause: Cause,
): Promise<Outcome> {
  const intent = await lockIntent(trx, charge.intent_id)
  const owner_id = intent?.owner_id
  if (!intent || !owner_id) throw notCommitted(charge.stripe_charge_id)
  if (!(await saveCharge(trx, { ...charge, owner_id }))) return doneAlready
  // An intent that is not settled yet takes the charge into account when it settles.
  const posted = intent.state === 'settled' ? await postPurchaseDifference(trx, intent, cause) : []
  const { id: intent_id, stripe_session_id: session_id } = intent
  return {
    state: 'applied',
    reason: remark ?? (posted.length === 0 ? failureOf('done_already') : null),
    ids: withTransfers(idsOf({ intent_id, session_id, charge_id: charge.stripe_charge_id }), posted),
  }
}
