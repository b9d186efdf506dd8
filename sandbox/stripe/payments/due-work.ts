import { nobody, type World } from '../world.ts'
import { expireSession } from './expire-session.ts'
import { settleSession } from './settle-session.ts'

/**
 * What the passing of time brings about: open sessions expire, delayed payments settle. Called by a timer, and at once
 * when the clock is moved.
 */
export function runDueWork(world: World): void {
  const { store, clock } = world
  for (const session of store.checkout_sessions.oldestFirst()) {
    if (session.status === 'open' && session.expires_at <= clock.now()) expireSession(world, session, nobody)
  }
  for (const details of store.checkout_details.oldestFirst()) {
    if (details.settles_at_ms !== null && details.settles_at_ms <= clock.nowMs()) {
      settleSession(world, details.id, 'succeeded')
    }
  }
}
