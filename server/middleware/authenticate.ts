import { operatorKeyPrefix, tokenPrefix } from '../../schema/extension/secrets.ts'
import { isActive } from '../../schema/extension/tokens.ts'
import { recordAudit } from '../../schema/support/audit.ts'
import { TokenRejectedError } from '../../schema/vendors/clerk/tokens.ts'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { notFound, refusal, ServerError, tooManyRequests } from '../errors.ts'

/**
 * Lets only callers with a valid bearer token pass and sets their user id. An address that keeps sending
 * forged tokens is told to wait, but a valid token is never refused for that: many people may share an
 * address. Expired tokens do not count, since a page that was left open sends them.
 */
export function authenticate(deps: Pick<Dependencies, 'clerk' | 'limits'>): AppMiddleware {
  return async (ctx, next) => {
    const token = bearerOf(ctx)
    // An editor's token is never valid here, so there is no need to look at it.
    if (!token || token.startsWith(tokenPrefix)) throw refusal('unauthenticated')
    try {
      const verified = await deps.clerk.verifyToken(token)
      const { user_id, session_id } = verified
      ctx.state.user_id = user_id
      ctx.state.verified = verified
      ctx.state.session_token = token
      if (session_id !== null) ctx.state.session_id = session_id
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error
      if (!error.is_expired) await countForgedToken(deps, `ip:${ctx.state.network}`)
      throw refusal('unauthenticated', { cause: error })
    }
    ctx.state.requestLog.note({ user_id: ctx.state.user_id })
    await next()
  }
}

/** Like `authenticate`, for calls of support: who has no valid token gets a 404. */
export function authenticateSupport(deps: Pick<Dependencies, 'clerk' | 'limits'>): AppMiddleware {
  const authenticated = authenticate(deps)
  return async (ctx, next) => {
    try {
      await authenticated(ctx, async () => {})
    } catch (error) {
      if (error instanceof ServerError && error.status === 401) throw notFound()
      throw error
    }
    await next()
  }
}

/**
 * Lets only support staff pass. Other callers get a 404, and their attempt is recorded in the audit log. Clerk is
 * asked for the role: a token states what was true when it was issued, and parts of it may come from its owner; it
 * outlives its session by up to a minute. Runs after the limit of requests, so that no caller floods Clerk.
 */
export function requireSupportStaff(
  deps: Pick<Dependencies, 'db' | 'clerk' | 'isSupportStaff' | 'limits'>,
): AppMiddleware {
  return async (ctx, next) => {
    const { user_id } = ctx.state
    if (user_id === undefined) throw notFound()
    if (!(await deps.isSupportStaff(user_id))) {
      await recordDenial(deps, { user_id, address: `${ctx.method} ${ctx.path}` })
      throw notFound()
    }
    const { session_id = null } = ctx.state
    if ((await deps.clerk.getAccountStatus({ user_id, session_id })) !== 'good') throw notFound()
    await next()
  }
}

/**
 * Lets only editors with a valid long-lived token pass and sets their user id. An address that sends unknown
 * tokens is told to wait; expired and revoked tokens do not count, since an editor may not know of the
 * revocation.
 */
export function authenticateExtension(
  deps: Pick<Dependencies, 'editorTokens' | 'limits' | 'now'>,
): AppMiddleware {
  return async (ctx, next) => {
    const bearer = bearerOf(ctx)
    if (!bearer?.startsWith(tokenPrefix)) throw refusal('invalid_token')
    const token = await deps.editorTokens.find(bearer)
    if (!token) await countForgedToken(deps, `extension:${ctx.state.network}`)
    const now = deps.now()
    if (!token || !isActive(token, now)) throw refusal('invalid_token')
    ctx.state.user_id = token.user_id
    ctx.state.editor_token_id = token.id
    ctx.state.requestLog.note({ user_id: token.user_id })
    await deps.editorTokens.recordUse(token, now)
    await next()
  }
}

/**
 * Lets services of the operator pass, with the operator's key, and editors where they meter themselves. What
 * an editor may not do it is told before anything else about the call is looked at.
 */
export function authenticateMeter(
  deps: Pick<Dependencies, 'editorTokens' | 'operatorKeys' | 'limits' | 'now' | 'settings'>,
): AppMiddleware {
  const authenticated = authenticateExtension(deps)
  return async (ctx, next) => {
    const bearer = bearerOf(ctx)
    if (!bearer?.startsWith(operatorKeyPrefix)) {
      return authenticated(ctx, async () => {
        if (deps.settings.metered_by === 'gateway') throw refusal('metered_by_gateway')
        await next()
      })
    }
    const key = await deps.operatorKeys.find(bearer)
    if (!key) await countForgedToken(deps, `operator:${ctx.state.network}`)
    if (!key || key.revoked_at !== null) throw refusal('invalid_operator_key')
    ctx.state.operator_key_id = key.id
    ctx.state.requestLog.note({ operator_key_id: key.id })
    await deps.operatorKeys.recordUse(key, deps.now())
    await next()
  }
}

/** Stops at the caller's budget, so that no caller can fill the log. */
export async function recordDenial(
  { db, limits }: Pick<Dependencies, 'db' | 'limits'>,
  { user_id, address }: { readonly user_id: string; readonly address: string },
): Promise<void> {
  if ((await limits.consume('auth', `denied:${user_id}`)) !== null) return
  await recordAudit(db, {
    actor: user_id,
    act_id: null,
    what: 'access',
    outcome: 'denied',
    target: { kind: 'call', id: address },
    owner_id: null,
    reason: null,
    detail: 'This person is not on the support staff',
  })
}

async function countForgedToken({ limits }: Pick<Dependencies, 'limits'>, caller: string): Promise<void> {
  const wait_s = await limits.consume('auth', caller)
  if (wait_s !== null) throw tooManyRequests(wait_s)
}

/** The token of an `Authorization: Bearer …` header. */
function bearerOf(ctx: AppContext): string | undefined {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1]
}
