import { failureOf } from '../../schema/api/failures.ts'
import {
  attachSession,
  type CheckoutIntent,
  claimableIntents,
  findIntent,
  isUnfinished,
} from '../../schema/billing/checkout/intents.ts'
import { failIntent } from '../../schema/billing/checkout/outcomes.ts'
import { recordNoChange } from '../../schema/inbox/claim/record-try.ts'
import type { JobPayload } from '../../schema/inbox/queues/queues.ts'
import { idsOf } from '../../schema/vendors/stripe/log-ids.ts'
import { modesOf } from '../../schema/vendors/stripe/mode.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { syncSeatsWithClerk } from '../events/clerk/sync-seats-with-clerk.ts'
import type { Outcome } from '../events/outcome.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { findLostSession } from './find-lost-session.ts'
import { tryRow } from './try-row.ts'

const longestWaitMs = 3600 * 1000

/**
 * Fetches an intent's session from Stripe and applies it: for a return page that is faster than the webhook,
 * for a webhook that never came, and for an intent whose server died in the middle.
 */
export async function processCheckoutCompletion(
  deps: WorkerDependencies,
  payload: JobPayload<'checkout-completions'>,
): Promise<void> {
  const intent = await findIntent(deps.db, payload.intent_id)
  if (!intent || intent.state === 'settled') return
  const isScheduled = payload.cause === 'schedule'
  const isOver = !isUnfinished(intent)
  const isVoid = payload.claim !== undefined && payload.claim !== intent.claims
  if (isScheduled && (isOver || isVoid)) return
  if (intent.livemode !== deps.livemode) {
    // Its session is not to be found with our key, so no buyer can be sent there any more.
    const failure_reason = failureOf('other_mode', modesOf(intent, deps))
    await failIntent(deps.db, { id: intent.id, failure_code: 'other_mode', failure_reason })
    return deps.log.info({ intent_id: intent.id, failure_reason }, 'Checkout not completed')
  }

  const row = {
    what: 'intent',
    rows: claimableIntents,
    key: { id: intent.id },
    ids: idsOf({ intent_id: intent.id, session_id: intent.stripe_session_id }),
    subject: intent.owner_id ?? intent.user_id,
    record: intent,
    isScheduled,
    giveUp: (failure_reason: string) =>
      failIntent(deps.db, { id: intent.id, failure_code: 'contradiction', failure_reason }),
  } as const
  const done = await tryRow(deps, row, () => completeCheckout(deps, intent, payload.cause))
  await syncSeatsWithClerk(deps, done)
  if (isScheduled) {
    await recordNoChange(deps.db, { ...row, claim: intent.claims }, nextCheckAt(deps, intent))
  }
}

/** While nothing happens a checkout is looked at when it is twice as old, and at least once an hour. */
function nextCheckAt(
  deps: Pick<WorkerDependencies, 'now' | 'claimAfterMs'>,
  { created_at }: CheckoutIntent,
): Date {
  const now = deps.now().getTime()
  return new Date(now + Math.min(Math.max(now - created_at.getTime(), deps.claimAfterMs), longestWaitMs))
}

/** Fetches a checkout's session and applies it. Says what came of it; see `syncSeatsWithClerk` for its seats. */
export async function completeCheckout(
  deps: WorkerDependencies,
  intent: CheckoutIntent,
  actor: string,
): Promise<Outcome> {
  const { id: intent_id } = intent
  const session_id = intent.stripe_session_id ?? (await findLostSession(deps, intent))
  if (!session_id) return { state: 'applied', reason: failureOf('lacks', { what: 'payment_page' }) }
  if (!intent.stripe_session_id)
    await attachSession(deps.db, { id: intent_id, stripe_session_id: session_id })
  const outcome = await syncSubject(deps, { of: 'checkout', session_id, intent_id }, actor)
  const { state, reason, ids } = outcome
  deps.log.info({ intent_id, session_id, ...ids, actor, outcome: state, reason }, 'Checkout synced')
  return outcome
}
