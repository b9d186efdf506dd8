import type { Kysely } from 'kysely'
import { failureOf } from '../../schema/api/failures.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { DB } from '../../schema/database/types.ts'
import { deleteSignInsOf } from '../../schema/extension/sign-ins.ts'
import { countTokensRevokedAt, revokeTokens } from '../../schema/extension/tokens.ts'
import type { SupportActRow } from '../../schema/support/acts.ts'
import type { DoAct } from './act.ts'

/**
 * Ends the sign-ins and tokens of a person's editors, as of when support asked for it: by that the act knows its
 * own, however often it is tried. It waits for no proof of who asked, because a server that was taken over can end
 * them itself.
 */
export async function endEditors(
  db: Kysely<DB>,
  { target_id: user_id, requested_at: now }: Pick<SupportActRow, 'target_id' | 'requested_at'>,
): Promise<void> {
  await retryTransaction(db, async (trx) => {
    await deleteSignInsOf(trx, user_id)
    await revokeTokens(trx, { user_id, now })
  })
}

/** Ends every token and session of a person: the editors' at once, and those at Clerk as soon as it answers. */
export const signOut: DoAct = async ({ db, clerk, now }, act) => {
  const { target_id: user_id, requested_at } = act
  const sessions = await clerk.listSessions(user_id)
  for (const id of sessions) await clerk.revokeSession(id)
  // Also what a session has signed in since the first try.
  await endEditors(db, act)
  const tokens = await countTokensRevokedAt(db, { user_id, at: requested_at, now: now() })
  const ended = Object.entries({ tokens, sessions: sessions.length }).filter(([, count]) => count > 0)
  return {
    changes: ended.map(([what, before]) => ({ what, id: null, before, after: 0 })),
    note: failureOf('lacks', { what: 'token_or_session' }),
  }
}
