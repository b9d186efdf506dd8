import { tokenPrefix } from '../../schema/extension/secrets.ts'
import { findToken, isActive, recordTokenUse } from '../../schema/extension/tokens.ts'
import { bearerOf } from '../auth/bearer.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidExtensionToken, tooManyRequests } from '../errors.ts'

/**
 * Lets only editors with a working long-lived token pass and says whose it is. An address that shows tokens which were never
 * ours is made to wait; one that expired or was revoked is an honest editor that missed it.
 */
export function authenticateExtension(deps: Pick<Dependencies, 'db' | 'limits' | 'now'>): AppMiddleware {
  return async (ctx, next) => {
    const shown = bearerOf(ctx)
    if (!shown?.startsWith(tokenPrefix)) throw invalidExtensionToken()
    const wait_s = await deps.limits.peek('auth', `extension:${ctx.ip}`)
    if (wait_s !== null) throw tooManyRequests(wait_s)
    const token = await findToken(deps.db, shown)
    if (!token) await deps.limits.take('auth', `extension:${ctx.ip}`)
    const now = deps.now()
    if (!token || !isActive(token, now)) throw invalidExtensionToken()
    ctx.state.user_id = token.user_id
    ctx.state.trace.note({ user_id: token.user_id })
    await recordTokenUse(deps.db, token, now)
    await next()
  }
}
