import type { Json } from '../../schema/database/types.ts'
import type { EventSource } from '../../schema/inbox/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { applyCheckout, type CheckoutToApply } from './apply-checkout.ts'
import { readClerkEvent } from './clerk-event.ts'
import type { CheckoutDecision } from './decide-checkout.ts'
import { type ApplyInTransaction, type EventNeeds, type EventOutcome, ignore } from './event-needs.ts'
import { readStripeEvent } from './stripe-event.ts'

const readers = { stripe: readStripeEvent, clerk: readClerkEvent } as const

/** Says what an event needs. Throws when its format is not recognized. */
export function readEvent(
  us: Pick<WorkerDependencies, 'livemode'>,
  source: EventSource,
  payload: Json,
): EventNeeds {
  return readers[source](payload, us)
}

/**
 * Reads an event that is not applied as it is in the inbox, fetches what it needs, and returns what is to be
 * done in a transaction of the caller's.
 */
export async function prepareEvent(
  deps: WorkerDependencies,
  source: EventSource,
  payload: Json,
): Promise<ApplyInTransaction> {
  const read = readEvent(deps, source, payload)
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
        return outcomeOfCheckout(intent_id, decision)
      }
  }
}

export function outcomeOfCheckout(intent_id: string, decision: CheckoutDecision): EventOutcome {
  return { state: 'applied', reason: decision.action === 'none' ? decision.reason : null, intent_id }
}

/** The server commits an intent before it calls Stripe, and a replica or a restored backup may be behind. */
export function notCommitted({ intent_id, news }: CheckoutToApply): NotYetError {
  return new NotYetError(
    `Checkout intent ${intent_id} of session ${news.session.id} has not been committed yet`,
  )
}
