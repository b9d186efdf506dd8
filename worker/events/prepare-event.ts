import { withTransfers } from '../../schema/stripe/log-ids.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { applyCheckout, type CheckoutToApply } from './apply-checkout.ts'
import type { CheckoutDecision } from './decide-checkout.ts'
import { type ApplyInTransaction, type EventNeeds, type EventOutcome, ignore } from './event-needs.ts'

/**
 * Fetches what an event needs that is not applied as it is in the inbox, and returns what is to be done in a
 * transaction of the caller's.
 */
export async function prepareEvent(deps: WorkerDependencies, read: EventNeeds): Promise<ApplyInTransaction> {
  switch (read.needs) {
    case 'nothing':
      return ignore(read.reason)
    case 'fetch':
      return read.fetch(deps)
    case 'checkout':
      return async (trx) => {
        const { intent_id, news } = read.checkout
        const decision = await applyCheckout(trx, intent_id, news)
        if (!decision) throw notCommitted(read.checkout)
        return outcomeOfCheckout(intent_id, decision, decision.transfer_ids)
      }
  }
}

export function outcomeOfCheckout(
  intent_id: string,
  decision: CheckoutDecision,
  transfer_ids: readonly number[] = [],
): EventOutcome {
  const reason = decision.action === 'none' ? decision.reason : null
  return { state: 'applied', reason, ids: withTransfers({ intent_id }, transfer_ids) }
}

/** The server commits an intent before it calls Stripe, and a replica or a restored backup may be behind. */
export function notCommitted({ intent_id, news }: CheckoutToApply): NotYetError {
  return new NotYetError(
    `Checkout intent ${intent_id} of session ${news.session.id} has not been committed yet`,
  )
}
