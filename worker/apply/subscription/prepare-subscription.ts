import { attachSession, findIntent } from '../../../schema/checkout/intents.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError } from '../../errors.ts'
import { findLostSession } from '../../jobs/find-lost-session.ts'
import { type ApplyInTransaction, ignore } from '../apply-event.ts'
import { applySubscription } from './apply-subscription.ts'
import { ensureOrganization } from './ensure-organization.ts'
import { fetchSubscription } from './facts.ts'

/**
 * Looks a subscription up and returns what follows, whoever asked: an event, the return page or the sweep. What its intent still
 * lacks, its session or its organization, is found or made here, because both need calls.
 */
export async function prepareSubscription(
  deps: WorkerDependencies,
  subscriptionId: string,
  cause: { event_id: string | null; session_id: string | null; actor?: string },
): Promise<ApplyInTransaction> {
  const facts = await fetchSubscription(deps, subscriptionId)
  if (!facts) return ignore(`Subscription ${subscriptionId} was not started by us`)
  const intent = await findIntent(deps.db, facts.intent_id)
  if (!intent) throw new NotYetError(`Intent ${facts.intent_id} of ${subscriptionId} is not there yet`)
  if (!intent.stripe_session_id) {
    const sessionId = cause.session_id ?? (await findLostSession(deps, intent))
    if (sessionId) await attachSession(deps.db, { id: intent.id, stripe_session_id: sessionId })
  }
  if (intent.owner_id === null && facts.paid.length > 0) await ensureOrganization(deps, intent)
  return (trx) =>
    applySubscription(trx, facts, {
      event_id: cause.event_id,
      actor: cause.actor ?? 'stripe',
      now: deps.now(),
    })
}
