import { failureOf } from '../../schema/api/failures.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import type { DoAct } from './act.ts'

/** Ends every token of a person's editors and every session at Clerk, which also ends the sign-ins under way. */
export const signOut: DoAct = async ({ db, clerk, now }, { target_id: user_id }) => {
  const tokens = await revokeTokens(db, { user_id, now: now() })
  // Last, because it cannot be rolled back.
  const sessions = await clerk.listSessions(user_id)
  for (const id of sessions) await clerk.revokeSession(id)
  const ended = Object.entries({ tokens, sessions: sessions.length }).filter(([, count]) => count > 0)
  return {
    changes: ended.map(([what, before]) => ({ what, id: null, before, after: 0 })),
    note: failureOf('lacks', { what: 'token_or_session' }),
  }
}
