import { type ChargeSnapshot, findCharge, saveCharge } from '../../../schema/charges/charges.ts'
import { findIntent, lockIntent, recipientOf } from '../../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { findSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import { type Cause, postPlanDifference, postPurchaseDifference } from '../../books/post-difference.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError, PermanentError } from '../../errors.ts'
import { type ApplyInTransaction, ignore } from '../event-needs.ts'
import { foreign, foundOrForeign } from '../foreign.ts'
import { syncSubscription } from '../subscription/sync-subscription.ts'
import { fetchCharge } from './fetch-charge.ts'

/**
 * Fetches a charge and returns what follows: refunds, disputes and their ends all come here. What was
 * refunded and disputed is written down, and the owner's books are made to agree with it. A charge of a
 * subscription syncs the subscription first, so that the invoice it paid is known.
 */
export async function syncCharge(
  deps: WorkerDependencies,
  chargeId: string,
  cause: Pick<Cause, 'event_id' | 'actor'>,
): Promise<ApplyInTransaction> {
  const isKnown = async () => (await findCharge(deps.db, chargeId)) !== undefined
  const charge = await foundOrForeign(() => fetchCharge(deps, chargeId), isKnown)
  if (charge === 'foreign') return ignore(foreign(`Charge ${chargeId}`))
  if (!charge) return ignore(`Charge ${chargeId} did not pay for anything that we sold`)
  const { intent_id, subscription_id, remark, ...snapshot } = charge
  if (intent_id && (await findIntent(deps.db, intent_id))?.kind !== 'credit_purchase') {
    throw new PermanentError(
      `Charge ${chargeId} names the checkout ${intent_id}, which is not a purchase of credits`,
    )
  }
  if (remark) deps.log.warn({ charge_id: chargeId }, remark)
  const syncFirst = subscription_id
    ? await syncSubscription(deps, subscription_id, { ...cause, session_id: null })
    : null
  return async (trx) => {
    const synced = await syncFirst?.(trx)
    if (synced?.state === 'ignored') return synced
    const owner = intent_id ? await findBuyer(trx, intent_id) : await findSubscriber(trx, subscription_id)
    if (!owner) throw new NotYetError(`What ${chargeId} paid for is not committed yet`)
    const posted = await applyCharge(trx, { intent_id, ...owner, ...snapshot }, { ...cause, now: deps.now() })
    return { state: 'applied', reason: remark ?? posted }
  }
}

async function findBuyer(trx: DatabaseTransaction, intentId: string): Promise<Owner | null> {
  const intent = await findIntent(trx, intentId)
  return intent ? recipientOf(intent) : null
}

async function findSubscriber(trx: DatabaseTransaction, id: string | null): Promise<Owner | null> {
  const row = id === null ? undefined : await findSubscription(trx, id)
  return row ? { owner_kind: row.owner_kind, owner_id: row.owner_id } : null
}

/** Returns why nothing followed from it, if nothing did. */
async function applyCharge(
  trx: DatabaseTransaction,
  charge: ChargeSnapshot,
  cause: Cause,
): Promise<string | null> {
  const intent = charge.intent_id ? await lockIntent(trx, charge.intent_id) : undefined
  if (!(await saveCharge(trx, charge))) return 'A newer snapshot was applied'
  // An intent that is not settled yet takes the charge into account when it settles.
  let posted = 0
  if (intent?.state === 'settled') posted = await postPurchaseDifference(trx, intent, cause)
  if (charge.stripe_invoice_id) posted = await postPlanDifference(trx, charge, cause)
  return posted === 0 ? 'The credits agree with it already' : null
}
