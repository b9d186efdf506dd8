import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import { tokenPrefix } from '../../schema/extension/secrets.ts'
import { bearerOf } from '../auth/bearer.ts'
import { TokenRejectedError } from '../auth/clerk.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { signInUnavailable, tooManyRequests, unauthenticated } from '../errors.ts'

/**
 * Lets only callers with a valid bearer token pass and says who they are. An address that keeps showing forged tokens is
 * made to wait, because each may cost a call to Clerk; an expired one is an honest page that slept.
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
      if (error instanceof ClerkUnavailableError) throw signInUnavailable(error)
      if (!(error instanceof TokenRejectedError)) throw error
      if (!error.is_expired) await deps.limits.take('auth', `ip:${ctx.ip}`)
      throw unauthenticated(error)
    }
    ctx.state.trace.note({ user_id: ctx.state.user_id })
    await next()
  }
}
