import { retryTransaction } from '../../schema/database/retry.ts'
import { deleteSignInsOf } from '../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { refusal } from '../errors.ts'
import type { AccountStatus, SignedIn } from './clerk.ts'

/**
 * Asks Clerk, because our own token check is by signature and a token lives for a minute. An account that is
 * gone or banned loses its tokens at once: the webhook that reports it may be late. A lock revokes nothing,
 * since a stranger can cause it by guessing passwords.
 */
export async function findAccountStatus(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'editorTokens' | 'now'>,
  who: SignedIn,
): Promise<AccountStatus> {
  const status = await deps.clerk.getAccountStatus(who)
  if (status === 'gone' || status === 'banned') {
    const ending = retryTransaction(deps.db, async (trx) => {
      await deleteSignInsOf(trx, who.user_id)
      await revokeTokens(trx, { user_id: who.user_id, now: deps.now() })
    })
    await ending.finally(deps.editorTokens.forgetAll)
  }
  return status
}

/** The same where a page shows the reason. Throws ClerkUnavailableError. */
export async function requireGoodAccount(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'editorTokens' | 'now'>,
  who: SignedIn,
  requestLog: RequestLog,
): Promise<void> {
  const status = await findAccountStatus(deps, who)
  if (status === 'good') return
  requestLog.note({ account_status: status })
  if (status === 'banned') throw refusal('account_suspended')
  throw refusal(status === 'locked' ? 'account_locked' : 'unauthenticated')
}
