import { failureOf } from '../../schema/api/failures.ts'
import { findIntent, lockIntent } from '../../schema/billing/checkout/intents.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { clearInvitationFailure, findInvitation } from '../../schema/people/invitations/invitations.ts'
import { modesOf } from '../../schema/vendors/stripe/mode.ts'
import { postPurchaseDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import type { Outcome } from '../events/outcome.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { applyEvent } from '../events/try-event.ts'
import { completeCheckout } from '../jobs/checkout-completion.ts'
import { syncInvitation } from '../tasks/sync-invitations.ts'
import type { ActDone, DoAct } from './act.ts'

/** Tries again what an act is about, by the functions that the jobs call. */
export const replay: DoAct = async (deps, { target_kind, target_id, requested_by }) => {
  switch (target_kind) {
    case 'event':
      return replayEvent(deps, target_id)
    case 'intent':
      return replayIntent(deps, { id: target_id, actor: requested_by })
    case 'subscription':
    case 'charge':
      return doneBy(await syncSubject(deps, { of: target_kind, id: target_id }, requested_by))
    case 'invitation':
      return replayInvitation(deps, target_id)
    default:
      throw new PermanentError('not_an_act', { kind: 'replay', target_kind })
  }
}

function doneBy({ reason, seats_changed_in }: Pick<Outcome, 'reason' | 'seats_changed_in'>): ActDone {
  return { note: reason, seats_changed_in: seats_changed_in ? [seats_changed_in] : [] }
}

async function replayEvent(deps: WorkerDependencies, id: string): Promise<ActDone> {
  // Ids of Stripe and Clerk look different, so an id alone says whose event it is.
  const event =
    (await findEvent(deps.db, { source: 'stripe', id })) ??
    (await findEvent(deps.db, { source: 'clerk', id }))
  if (!event) throw new PermanentError('not_found', { what: 'event', id })
  const applied = await applyEvent(deps, event, () => true)
  const already = event.state === 'applied' ? failureOf('done_already') : null
  return doneBy({ ...applied, reason: applied?.reason ?? already })
}

async function replayIntent(
  deps: WorkerDependencies,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<ActDone> {
  const intent = await findIntent(deps.db, id)
  if (!intent) throw new PermanentError('not_found', { what: 'checkout', id })
  if (intent.livemode !== deps.livemode) throw new PermanentError('other_mode', modesOf(intent, deps))
  if (intent.kind !== 'credit_purchase' || intent.state !== 'settled') {
    return doneBy(await completeCheckout(deps, intent, actor))
  }
  await retryTransaction(deps.db, async (trx) => {
    const settled = await lockIntent(trx, id)
    if (settled?.state !== 'settled') return
    await postPurchaseDifference(trx, settled, { event_id: null, actor, now: deps.now() })
  })
  return doneBy({ reason: failureOf('done_already') })
}

async function replayInvitation(deps: WorkerDependencies, id: string): Promise<ActDone> {
  const invitation = await findInvitation(deps.db, id)
  if (!invitation) throw new PermanentError('not_found', { what: 'invitation', id })
  await syncInvitation(deps, invitation)
  await clearInvitationFailure(deps.db, id)
  return {}
}
