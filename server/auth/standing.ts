import { retryTransaction } from '../../schema/database/retry.ts'
import { deleteSignInsOf } from '../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import type { Trace } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { accountLocked, accountSuspended, type ServerError, unauthenticated } from '../errors.ts'
import type { SignedIn, Standing } from './clerk.ts'

/**
 * Asks Clerk, because our own token check is by signature and a token lives for a minute. An account that is
 * gone or banned loses its tokens at once: the webhook that reports it may be late. A lock revokes nothing,
 * since a stranger can cause it by guessing passwords.
 */
export async function findStanding(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'editorTokens' | 'now'>,
  who: SignedIn,
): Promise<Standing> {
  const standing = await deps.clerk.getStanding(who)
  if (standing === 'gone' || standing === 'banned') {
    const ending = retryTransaction(deps.db, async (trx) => {
      await deleteSignInsOf(trx, who.user_id)
      await revokeTokens(trx, { user_id: who.user_id, now: deps.now() })
    })
    await ending.finally(deps.editorTokens.forgetAll)
  }
  return standing
}

/** The same where a page shows the reason. Throws ClerkUnavailableError. */
export async function requireGoodStanding(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'editorTokens' | 'now'>,
  who: SignedIn,
  trace: Trace,
): Promise<void> {
  const standing = await findStanding(deps, who)
  if (standing === 'good') return
  trace.note({ standing })
  const refusals: Readonly<Record<Exclude<Standing, 'good'>, () => ServerError>> = {
    gone: unauthenticated,
    signed_out: unauthenticated,
    banned: accountSuspended,
    locked: accountLocked,
  }
  throw refusals[standing]()
}
