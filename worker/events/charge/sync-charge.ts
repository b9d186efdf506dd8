import { type ChargeSnapshot, findCharge, saveCharge } from '../../../schema/charges/charges.ts'
import { findIntent, lockIntent, recipientOf } from '../../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { idsOf, withTransfers } from '../../../schema/stripe/log-ids.ts'
import { findSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import { type Cause, postPlanDifference, postPurchaseDifference } from '../../books/post-difference.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError, PermanentError } from '../../errors.ts'
import { type ApplyInTransaction, type EventOutcome, ignore } from '../event-needs.ts'
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
    const full = { ...cause, now: deps.now() }
    if (intent_id) return applyToPurchase(trx, { intent_id, ...snapshot, remark }, full)
    // Before the sync posts: a month that begins in the books then covers no usage with what went back.
    const known = await findSubscriber(trx, subscription_id)
    const isSaved = known && (await saveChargeOf(trx, known, snapshot))
    const synced = await syncFirst?.(trx)
    if (synced?.state === 'ignored') return synced
    const owner = known ?? (await findSubscriber(trx, subscription_id))
    if (!owner) throw notCommitted(chargeId)
    if (!(isSaved ?? (await saveChargeOf(trx, owner, snapshot)))) return { state: 'applied', reason: newer }
    const transfer_ids = await postPlanDifference(trx, owner, full)
    const ids = withTransfers(idsOf({ ...synced?.ids, subscription_id, charge_id: chargeId }), [
      ...(synced?.ids?.transfer_ids ?? []),
      ...transfer_ids,
    ])
    return { state: 'applied', reason: remark, ids }
  }
}

const newer = 'A newer snapshot was applied'

function notCommitted(chargeId: string): NotYetError {
  return new NotYetError(`What ${chargeId} paid for is not committed yet`)
}

async function findSubscriber(trx: DatabaseTransaction, id: string | null): Promise<Owner | null> {
  const row = id === null ? undefined : await findSubscription(trx, id)
  return row ? { owner_kind: row.owner_kind, owner_id: row.owner_id } : null
}

type Snapshot = Omit<ChargeSnapshot, keyof Owner | 'intent_id'>

/** The owner before the charge, as everything locks them that posts. */
async function saveChargeOf(trx: DatabaseTransaction, owner: Owner, snapshot: Snapshot): Promise<boolean> {
  await lockOwner(trx, owner)
  return saveCharge(trx, { ...snapshot, ...owner, intent_id: null })
}

async function applyToPurchase(
  trx: DatabaseTransaction,
  { remark, ...charge }: Snapshot & { readonly intent_id: string; readonly remark: string | null },
  cause: Cause,
): Promise<EventOutcome> {
  const intent = await lockIntent(trx, charge.intent_id)
  const owner = intent && recipientOf(intent)
  if (!owner) throw notCommitted(charge.stripe_charge_id)
  if (!(await saveCharge(trx, { ...charge, ...owner }))) return { state: 'applied', reason: newer }
  // An intent that is not settled yet takes the charge into account when it settles.
  const posted = intent.state === 'settled' ? await postPurchaseDifference(trx, intent, cause) : []
  const { id: intent_id, stripe_session_id: session_id } = intent
  return {
    state: 'applied',
    reason: remark ?? (posted.length === 0 ? 'The credits agree with it already' : null),
    ids: withTransfers(idsOf({ intent_id, session_id, charge_id: charge.stripe_charge_id }), posted),
  }
}
