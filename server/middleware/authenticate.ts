import { tokenPrefix } from '../../schema/extension/secrets.ts'
import { findToken, isActive, recordTokenUse } from '../../schema/extension/tokens.ts'
import { TokenRejectedError } from '../auth/clerk.ts'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidExtensionToken, tooManyRequests, unauthenticated } from '../errors.ts'

/**
 * Lets only callers with a valid bearer token pass and says who they are. An address that keeps showing forged tokens is
 * made to wait, because each may cost a call to Clerk; an expired one comes from an honest page that was asleep.
 */
export function authenticate(deps: Pick<Dependencies, 'clerk' | 'limits'>): AppMiddleware {
  return async (ctx, next) => {
    const token = bearerOf(ctx)
    // An editor's token opens nothing here, and that is no reason to ask Clerk.
    if (!token || token.startsWith(tokenPrefix)) throw unauthenticated()
    const wait_s = await deps.limits.peek('auth', `ip:${ctx.ip}`)
    if (wait_s !== null) throw tooManyRequests(wait_s)
    try {
      const { user_id } = await deps.clerk.verifyToken(token)
      ctx.state.user_id = user_id
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error
      if (!error.is_expired) await deps.limits.consume('auth', `ip:${ctx.ip}`)
      throw unauthenticated(error)
    }
    ctx.state.trace.note({ user_id: ctx.state.user_id })
    await next()
  }
}

/**
 * Lets only editors with a working long-lived token pass and says whose it is. An address that shows tokens which were never
 * ours is made to wait; one that expired or was revoked comes from an honest editor that was not told.
 */
export function authenticateExtension(deps: Pick<Dependencies, 'db' | 'limits' | 'now'>): AppMiddleware {
  return async (ctx, next) => {
    const shown = bearerOf(ctx)
    if (!shown?.startsWith(tokenPrefix)) throw invalidExtensionToken()
    const wait_s = await deps.limits.peek('auth', `extension:${ctx.ip}`)
    if (wait_s !== null) throw tooManyRequests(wait_s)
    const token = await findToken(deps.db, shown)
    if (!token) await deps.limits.consume('auth', `extension:${ctx.ip}`)
    const now = deps.now()
    if (!token || !isActive(token, now)) throw invalidExtensionToken()
    ctx.state.user_id = token.user_id
    ctx.state.trace.note({ user_id: token.user_id })
    await recordTokenUse(deps.db, token, now)
    await next()
  }
}

/** The token of an `Authorization: Bearer …` header. */
function bearerOf(ctx: AppContext): string | undefined {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1]
}
