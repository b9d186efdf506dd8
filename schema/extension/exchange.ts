import { editorKeyOf } from '../api/redirect-uri.ts'
import type { Database } from '../database/connect.ts'
import { retryTransaction } from '../database/retry.ts'
import { decideExchange, type Exchange, type ExchangeRefusal } from './decide-exchange.ts'
import { hashSecret } from './secrets.ts'
import { findSignIn, recordExchange } from './sign-ins.ts'
import { type IssuedToken, issueEditorToken, revokeToken } from './tokens.ts'

export type ExchangeOutcome =
  | { readonly token: IssuedToken; readonly user_id: string }
  | { readonly refusal: ExchangeRefusal | 'unknown_state' | 'too_many_editors' }

/**
 * The user of a valid exchange and the session of their approval, so that Clerk can be asked about them
 * first; null when the exchange would be refused in any case.
 */
export async function findExchangingUser(
  db: Database,
  { state, now, ...exchange }: Exchange & { state: string; now: Date },
): Promise<{ user_id: string; session_id: string | null } | null> {
  const signIn = await findSignIn(db, state)
  const decision = signIn && decideExchange(signIn, exchange, now)
  return decision && 'user_id' in decision
    ? { user_id: decision.user_id, session_id: signIn.clerk_session_id }
    : null
}

/**
 * Exchanges a finished sign-in for a token, once. A second exchange that is otherwise correct means that two
 * parties have the code, so it is refused and revokes the token of the first (RFC 6749, section 4.1.2).
 */
export function exchangeSignIn(
  db: Database,
  exchange: Exchange & { state: string; now: Date },
): Promise<ExchangeOutcome> {
  const { state, now } = exchange
  const state_hash = hashSecret(state)
  return retryTransaction(db, async (trx) => {
    const signIn = await trx
      .selectFrom('extension_sign_ins')
      .selectAll()
      .where('state_hash', '=', state_hash)
      .forUpdate()
      .executeTakeFirst()
    if (!signIn) return { refusal: 'unknown_state' }
    const decision = decideExchange(signIn, exchange, now)
    if ('refusal' in decision) {
      if (decision.refusal === 'reused' && signIn.token_id) {
        await revokeToken(trx, { user_id: signIn.user_id, id: signIn.token_id, now })
      }
      return decision
    }
    const { user_id } = decision
    const { redirect_uri, editor_name, payer } = signIn
    const editor = { scheme: editorKeyOf(redirect_uri), editor_name, payer }
    const token = await issueEditorToken(trx, { user_id, now, ...editor })
    // The code stays good until the sign-in expires: the user may revoke an editor meanwhile.
    if (!token) return { refusal: 'too_many_editors' }
    await recordExchange(trx, { state_hash, token_id: token.id, now })
    return { token, user_id }
  })
}
