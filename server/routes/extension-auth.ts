import {
  completeVscodeAuth,
  exchangeAuthCode,
  initiateVscodeAuth,
  prepareVscodeAuth,
  updateAuthCode,
} from '../../schema/api/extension-auth.ts'
import { destinationOf, unknownEditorText } from '../../schema/api/redirect-uri.ts'
import { exchangeSignIn, findExchangingUser } from '../../schema/extension/exchange.ts'
import { readRequest, signInLifetimeMs, signRequest } from '../../schema/extension/sign-in-request.ts'
import {
  bindSignIn,
  confirmationLifetimeMs,
  confirmSignIn,
  prepareSignIn,
  type SignInRefusal,
} from '../../schema/extension/sign-ins.ts'
import { mayAddEditor } from '../../schema/extension/tokens.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import { findAccountStatus, requireGoodAccount } from '../auth/account-status.ts'
import type { Dependencies } from '../dependencies.ts'
import { findPayer } from '../editor-payer.ts'
import { invalidRequest, refusal, tooManyEditors } from '../errors.ts'
import { anyFailure } from '../failures.ts'
import { everybody, theUser } from '../rights.ts'
import { route } from '../route.ts'

const code = 'sign_in_failed'

export const extensionAuthRoutes = [
  route(initiateVscodeAuth, {
    rights: everybody,
    failure: anyFailure('Failed to initiate authentication flow.', code),
  }).handle(async ({ body }, deps) => {
    const { state, redirect_uri, code_challenge, editor_name } = body
    requireDestination(redirect_uri, deps.settings)
    const begun = { state, redirect_uri, code_challenge }
    const signed = await signRequest(begun, deps.settings.sign_in_secrets, deps.now())
    const query = new URLSearchParams({ state, vscode_redirect_uri: redirect_uri, request: signed })
    if (editor_name) query.set('editor_name', editor_name)
    return {
      success: true,
      auth_url: `${deps.settings.app_url}/auth/vscode-callback?${query}`,
      expires_in: signInLifetimeMs / 1000,
    }
  }),

  route(updateAuthCode, {
    rights: theUser(({ body }) => body.clerk_user_id),
    failure: anyFailure('Failed to update authentication code.', code),
  }).handle(async ({ body, user_id, session_id, requestLog }, deps) => {
    await requireGoodAccount(deps, { user_id, session_id }, requestLog)
    await findOrCreateAccount(deps, user_id)
    const request = await readRequest(body.request, deps.settings.sign_in_secrets)
    if (request?.state !== body.state) throw refusal('sign_in_not_found')
    // The lists may be shorter than when it was signed.
    requireDestination(request.redirect_uri, deps.settings)
    await requirePlaceForEditor(deps, user_id)
    const { editor_name = null, payer } = body
    await findPayer(deps, { payer, user_id })
    const agreed = { ...request, user_id, session_id, editor_name, payer, now: deps.now() }
    const bound = await bindSignIn(deps.db, agreed)
    if (typeof bound === 'string') throw refusal(signInCodes[bound])
    return { success: true, authorization_code: bound.code, redirect_uri: request.redirect_uri }
  }),

  // What the page shows and the user agrees to is this state and address for this user. See decision 081.
  route(prepareVscodeAuth, {
    rights: theUser(({ body }) => body.clerk_user_id),
    failure: anyFailure('Failed to complete authentication', code),
  }).handle(async ({ body, user_id, session_id }, deps) => {
    const { state, redirect_uri, editor_name = null } = body
    requireDestination(redirect_uri, deps.settings)
    const { email } = await findOrCreateAccount(deps, user_id)
    const signIn = { state, redirect_uri, user_id, session_id, editor_name, now: deps.now() }
    const prepared = await prepareSignIn(deps.db, signIn)
    if (typeof prepared === 'string') throw refusal(signInCodes[prepared])
    const expires_in = confirmationLifetimeMs / 1000
    return { success: true, confirmation: prepared.confirmation, expires_in, email }
  }),

  route(completeVscodeAuth, {
    rights: theUser(({ body }) => body.clerk_user_id),
    failure: anyFailure('Failed to complete authentication', code),
  }).handle(async ({ body, user_id, session_id, requestLog }, deps) => {
    await requireGoodAccount(deps, { user_id, session_id }, requestLog)
    await requirePlaceForEditor(deps, user_id)
    const { state, redirect_uri, confirmation, payer } = body
    requireDestination(redirect_uri, deps.settings)
    await findPayer(deps, { payer, user_id })
    const signIn = { state, redirect_uri, confirmation, payer, user_id, now: deps.now() }
    const outcome = await confirmSignIn(deps.db, signIn)
    if (outcome === 'unconfirmed') throw refusal('sign_in_unconfirmed')
    if (typeof outcome === 'string') throw refusal(signInCodes[outcome])
    return { success: true, authorization_code: outcome.code }
  }),

  route(exchangeAuthCode, {
    // Possession of the code and its verifier proves that the caller is the editor that began the sign-in.
    rights: everybody,
  }).handle(async ({ body, requestLog }, deps) => {
    const now = deps.now()
    const who = await findExchangingUser(deps.db, { ...body, now })
    const status = who ? await findAccountStatus(deps, who) : 'good'
    if (status !== 'good') {
      requestLog.note({ refusal: status })
      throw refusal('invalid_grant')
    }
    const outcome = await exchangeSignIn(deps.db, { ...body, now }).catch((error: unknown) => {
      // It may be committed all the same.
      deps.editorTokens.forgetAll()
      throw error
    })
    // Only a repeated code revokes a token, and then the tokens of all editors are looked up again.
    if ('refusal' in outcome && outcome.refusal === 'reused') deps.editorTokens.forgetAll()
    if ('refusal' in outcome) {
      // The caller must not learn which part was wrong; support can read it in the log.
      requestLog.note({ refusal: outcome.refusal })
      throw outcome.refusal === 'too_many_editors' ? tooManyEditors() : refusal('invalid_grant')
    }
    requestLog.note({ user_id: outcome.user_id })
    const { access_token, expires_at } = outcome.token
    return {
      access_token,
      token_type: 'Bearer',
      expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000),
      expires_at: expires_at.toISOString(),
    }
  }),
]

function requireDestination(uri: string, { editors, extension_ids }: Dependencies['settings']): void {
  const destination = destinationOf(uri, editors)
  if (!destination) {
    const message = 'Not an address of an editor on our list (EDITORS), nor of this machine'
    throw invalidRequest(unknownEditorText, [{ path: 'redirect_uri', message }], 'unknown_editor')
  }
  const { extension } = destination
  if (extension !== null && !extension_ids.includes(extension)) {
    const text = 'This sign-in was begun by an extension that is not ours. Nothing was sent to it.'
    throw invalidRequest(text, [{ path: 'redirect_uri', message: 'Not one of our extensions' }])
  }
}

/** Tells the user before a code is made; what counts is decided at the exchange. */
async function requirePlaceForEditor(deps: Pick<Dependencies, 'db' | 'now'>, user_id: string): Promise<void> {
  if (!(await mayAddEditor(deps.db, { user_id, now: deps.now() }))) throw tooManyEditors()
}

/** What ends a sign-in, as its caller is told. */
const signInCodes = {
  unknown: 'sign_in_not_found',
  expired: 'sign_in_expired',
  used: 'sign_in_used',
} as const satisfies Record<SignInRefusal, string>
