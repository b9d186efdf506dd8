import { nobody, type World } from '../world.ts'
import { closeDispute } from './dispute-charge.ts'
import type { Due } from './due-work.ts'
import { expireSession } from './expire-session.ts'
import { settleSession } from './settle-session.ts'

/** Open sessions expire, delayed payments settle, disputes that nobody answers are lost. */
export function* paymentsDue(world: World): Generator<Due> {
  const { store } = world
  for (const session of store.checkout_sessions.oldestFirst()) {
    if (session.status !== 'open') continue
    yield { at_ms: session.expires_at * 1000, act: () => expireSession(world, session, nobody) }
  }
  for (const { id, settles_at_ms } of store.checkout_details.oldestFirst()) {
    if (settles_at_ms === null) continue
    yield { at_ms: settles_at_ms, act: () => settleSession(world, id, 'succeeded') }
  }
  for (const dispute of store.disputes.oldestFirst()) {
    const { due_by } = dispute.evidence_details
    if (dispute.status !== 'needs_response' || due_by === null) continue
    const evidence_details = { ...dispute.evidence_details, past_due: true }
    yield {
      at_ms: due_by * 1000,
      act: () =>
        closeDispute(world, { dispute: { ...dispute, evidence_details }, outcome: 'lost', cause: nobody }),
    }
  }
}
