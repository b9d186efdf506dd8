import {
  completeVscodeAuth,
  exchangeAuthCode,
  initiateVscodeAuth,
  updateAuthCode,
} from '../../schema/api/extension-auth.ts'
import { exchangeSignIn } from '../../schema/extension/exchange.ts'
import {
  bindSignIn,
  completeSignIn,
  type SignInRefusal,
  signInLifetimeMs,
  startSignIn,
} from '../../schema/extension/sign-ins.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import { invalidGrant, type ServerError, signInExpired, signInNotFound, signInUsed } from '../errors.ts'
import { anyFailure } from '../failures.ts'
import { everybody, theUser } from '../rights.ts'
import { route } from '../route.ts'

const code = 'sign_in_failed'

export const extensionAuthRoutes = [
  route(initiateVscodeAuth, {
    rights: everybody,
    failure: anyFailure('Failed to initiate authentication flow.', code),
  }).handle(async ({ body }, deps) => {
    const { state, redirect_uri, code_challenge } = body
    const isNew = await startSignIn(deps.db, { state, redirect_uri, code_challenge, now: deps.now() })
    if (!isNew) throw signInUsed()
    const query = new URLSearchParams({ state, vscode_redirect_uri: redirect_uri })
    return {
      success: true,
      auth_url: `${deps.settings.app_url}/auth/vscode-callback?${query}`,
      expires_in: signInLifetimeMs / 1000,
    }
  }),

  route(updateAuthCode, {
    rights: theUser(({ body }) => body.clerk_user_id),
    failure: anyFailure('Failed to update authentication code.', code),
  }).handle(async ({ body, user_id }, deps) => {
    await findOrCreateAccount(deps, user_id)
    const bound = await bindSignIn(deps.db, { state: body.state, user_id, now: deps.now() })
    if (typeof bound === 'string') throw signInRefused(bound)
    return { success: true, authorization_code: bound.code, redirect_uri: bound.redirect_uri }
  }),

  route(completeVscodeAuth, {
    rights: theUser(({ body }) => body.clerk_user_id),
    failure: anyFailure('Failed to complete authentication', code),
  }).handle(async ({ body, user_id }, deps) => {
    await findOrCreateAccount(deps, user_id)
    const { state, redirect_uri } = body
    const outcome = await completeSignIn(deps.db, { state, redirect_uri, user_id, now: deps.now() })
    if (outcome !== 'completed') throw signInRefused(outcome)
    return { success: true }
  }),

  route(exchangeAuthCode, {
    // Possession of the code and its verifier proves that the caller is the editor that began the sign-in.
    rights: everybody,
  }).handle(async ({ body, trace }, deps) => {
    const now = deps.now()
    const outcome = await exchangeSignIn(deps.db, { ...body, now })
    if ('refusal' in outcome) {
      // The caller must not learn which part was wrong; support can read it in the log.
      trace.note({ refusal: outcome.refusal })
      throw invalidGrant()
    }
    trace.note({ user_id: outcome.user_id })
    const { access_token, expires_at } = outcome.token
    return {
      access_token,
      token_type: 'Bearer',
      expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000),
      expires_at: expires_at.toISOString(),
    }
  }),
]

function signInRefused(refusal: SignInRefusal): ServerError {
  const refusals: Readonly<Record<SignInRefusal, () => ServerError>> = {
    unknown: signInNotFound,
    expired: signInExpired,
    used: signInUsed,
  }
  return refusals[refusal]()
}
