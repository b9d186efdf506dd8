import { type CheckoutTerms, lockIntents } from '../../schema/checkout/intents.ts'
import { type IntentOutcome, recordOutcomes } from '../../schema/checkout/outcomes.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { pipelined } from '../../schema/database/pipelined.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { type PaidCheckout, readMissing } from '../books/post-difference.ts'
import { type CheckoutDecision, type CheckoutNews, decideCheckout } from './decide-checkout.ts'

export interface CheckoutToApply {
  readonly intent_id: string
  readonly news: CheckoutNews
}

/** What followed from the news of one checkout. Of one that is refused nothing was written. */
export type CheckoutVerdict =
  | { readonly verdict: 'decided'; readonly decision: CheckoutDecision }
  | { readonly verdict: 'refused'; readonly error: unknown }
  /** There is no such intent (yet). */
  | { readonly verdict: 'unknown' }

/** The ids of what was posted, for the log. */
interface Posted {
  readonly transfer_ids: readonly number[]
}

/**
 * Carries out what follows from the news, inside the caller's transaction. The webhook, the return page and
 * the claim all end here. Returns undefined when there is no such intent (yet).
 */
export async function applyCheckout(
  trx: DatabaseTransaction,
  intent_id: string,
  news: CheckoutNews,
): Promise<(CheckoutDecision & Posted) | undefined> {
  const [applied] = await applyCheckouts(trx, [{ intent_id, news }])
  if (applied?.verdict === 'refused') throw applied.error
  if (applied?.verdict !== 'decided') return undefined
  return { ...applied.decision, transfer_ids: applied.transfer_ids }
}

/**
 * The same for several checkouts, each with news of its own, in as many statements as for one. Verdicts come
 * in the same order. One that is refused or unknown changes nothing and keeps no other from being
 * carried out.
 *
 * Every transaction locks events before intents and intents before owners, each in the order of their ids, so
 * two that lock some of the same cannot deadlock. Syncing a subscription locks its owner before its intent,
 * which is none of a purchase's.
 *
 * `locked` are intents that the caller has locked before, in this transaction and since the last write in it;
 * the others are locked here. `alsoWrite` is what the caller writes of these verdicts: it is sent along with
 * the transfers.
 */
export async function applyCheckouts(
  trx: DatabaseTransaction,
  checkouts: readonly CheckoutToApply[],
  {
    locked = [],
    alsoWrite = async () => undefined,
  }: {
    readonly locked?: readonly CheckoutTerms[]
    readonly alsoWrite?: (trip: DatabaseTransaction, verdicts: readonly CheckoutVerdict[]) => Promise<void>
  } = {},
): Promise<(CheckoutVerdict & Posted)[]> {
  const intents = new Map(locked.map((intent) => [intent.id, intent]))
  const others = checkouts.flatMap(({ intent_id }) => (intents.has(intent_id) ? [] : [intent_id]))
  if (others.length > 0) for (const intent of await lockIntents(trx, others)) intents.set(intent.id, intent)
  const outcomes: IntentOutcome[] = []
  const paid: PaidCheckout[] = []
  const verdicts = checkouts.map(({ intent_id, news }): CheckoutVerdict => {
    const intent = intents.get(intent_id)
    if (!intent) return { verdict: 'unknown' }
    let decision: CheckoutDecision
    try {
      decision = decideCheckout(intent, news)
    } catch (error) {
      return { verdict: 'refused', error }
    }
    const outcome = outcomeOf(intent, news, decision)
    if (outcome) outcomes.push(outcome)
    if (outcome?.state === 'settled') {
      paid.push({ intent: { ...intent, ...outcome }, cause: { ...news, now: news.occurred_at } })
    }
    return { verdict: 'decided', decision }
  })
  const [missing] = await pipelined(trx, (trip) =>
    Promise.all([readMissing(trip, paid), recordOutcomes(trip, outcomes)]),
  )
  const [posted] = await pipelined(trx, (trip) =>
    Promise.all([postTransfers(trip, missing), alsoWrite(trip, verdicts)]),
  )
  return verdicts.map((verdict, index) => ({
    ...verdict,
    transfer_ids: posted
      .filter((_, at) => missing[at]?.intent_id === checkouts[index]?.intent_id)
      .map(({ transfer_id }) => transfer_id),
  }))
}

function outcomeOf(
  { id }: CheckoutTerms,
  { session }: CheckoutNews,
  decision: CheckoutDecision,
): IntentOutcome | undefined {
  const key = { id, stripe_session_id: session.id }
  switch (decision.action) {
    case 'settle':
      return { ...key, state: 'settled' }
    case 'await_payment':
      return { ...key, state: 'awaiting_payment' }
    case 'fail':
      return {
        ...key,
        state: 'failed',
        failure: { failure_code: decision.failure_code, failure_reason: decision.failure_reason },
      }
    case 'expire':
      return { ...key, state: 'expired' }
    case 'none':
      return undefined
  }
}
