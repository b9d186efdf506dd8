import { findIntent, lockIntent } from '../../schema/checkout/intents.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { findEvent, type InboxEvent } from '../../schema/inbox/events.ts'
import { clearInvitationFailure, findInvitation } from '../../schema/invitations/invitations.ts'
import { modeName } from '../../schema/stripe/mode.ts'
import { postPurchaseDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { syncCharge } from '../events/charge/sync-charge.ts'
import type { EventOutcome } from '../events/event-needs.ts'
import { syncSubscription } from '../events/subscription/sync-subscription.ts'
import { applyEvent } from '../events/try-event.ts'
import { completeCheckout } from '../jobs/checkout-completion.ts'
import { syncInvitation } from '../tasks/sync-invitations.ts'
import { syncObject } from '../tasks/sync-kept-events.ts'
import type { ActDone, DoAct } from './act.ts'

/** Tries again what an act is about, by the functions that the jobs call. */
export const replay: DoAct = async (deps, { target_kind, target_id, requested_by }) => {
  switch (target_kind) {
    case 'event':
      return replayEvent(deps, target_id)
    case 'intent':
      return replayIntent(deps, { id: target_id, actor: requested_by })
    case 'subscription': {
      const cause = { event_id: null, session_id: null, actor: requested_by }
      const outcome = await retryTransaction(deps.db, await syncSubscription(deps, target_id, cause))
      return doneBy(outcome)
    }
    case 'charge': {
      const apply = await syncCharge(deps, target_id, { event_id: null, actor: requested_by })
      return doneBy(await retryTransaction(deps.db, apply))
    }
    case 'invitation':
      return replayInvitation(deps, target_id)
    default:
      throw new PermanentError(`${target_kind} ${target_id} is not replayed`)
  }
}

function doneBy(outcome: {
  readonly reason: string | null
  readonly seats_changed_in?: string | undefined
}): ActDone {
  const { reason, seats_changed_in } = outcome
  return { did: null, note: reason, seats_changed_in: seats_changed_in ? [seats_changed_in] : [] }
}

async function replayEvent(deps: WorkerDependencies, id: string): Promise<ActDone> {
  // Ids of Stripe and Clerk look different, so an id alone says whose event it is.
  const event =
    (await findEvent(deps.db, { source: 'stripe', id })) ??
    (await findEvent(deps.db, { source: 'clerk', id }))
  if (!event) throw new PermanentError(`Event ${id} is not in the inbox`)
  if (event.state === 'forged') throw new PermanentError('It was forged: nothing may follow from it')
  const { raw, payload } = event
  if (raw) {
    await syncObject(deps, { ...event, raw })
    return { did: null, note: 'What it is about is as Stripe or Clerk has it', seats_changed_in: [] }
  }
  if (payload === null) {
    throw new PermanentError('What it said was deleted because of its age: sync its owner instead')
  }
  const applied = await applyEvent(deps, event, { isReplay: true })
  if (applied.outcome === 'finished_before' || applied.outcome === 'nothing_to_do')
    throw new PermanentError('It was forged: nothing may follow from it')
  return doneBy({ ...applied, reason: noteOf(event, applied) })
}

function noteOf(before: InboxEvent, after: Pick<EventOutcome, 'reason'>): string | null {
  if (after.reason) return after.reason
  return before.state === 'applied' ? 'Everything that follows from it is there already' : null
}

async function replayIntent(
  deps: WorkerDependencies,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<ActDone> {
  const intent = await findIntent(deps.db, id)
  if (!intent) throw new PermanentError(`There is no checkout ${id}`)
  if (intent.livemode !== deps.livemode) {
    throw new PermanentError(
      `It was opened in ${modeName(intent.livemode)}; our key is one of ${modeName(deps.livemode)}`,
    )
  }
  if (intent.kind !== 'credit_purchase' || intent.state !== 'settled') {
    return doneBy(await completeCheckout(deps, intent, actor))
  }
  await retryTransaction(deps.db, async (trx) => {
    const settled = await lockIntent(trx, id)
    if (settled?.state !== 'settled') return
    await postPurchaseDifference(trx, settled, { event_id: null, actor, now: deps.now() })
  })
  return doneBy({ reason: 'It is settled, and its credits are in the books' })
}

async function replayInvitation(deps: WorkerDependencies, id: string): Promise<ActDone> {
  const invitation = await findInvitation(deps.db, id)
  if (!invitation) throw new PermanentError(`There is no invitation ${id}`)
  await syncInvitation(deps, invitation)
  await clearInvitationFailure(deps.db, id)
  return doneBy({ reason: 'It is as Clerk has it' })
}
