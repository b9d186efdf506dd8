import * as z from 'zod/mini'
import { editorNameSchema } from './editor-name.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema, userIdSchema } from './ids.ts'
import { redirectUriProblem } from './redirect-uri.ts'
import { stateProblem } from './state.ts'

/**
 * A required text; the message for a missing one is the product's own and is shown to people unchanged.
 * `error_code`: of the response to a text that has a problem; `invalid_request` when it is left out.
 */
function requiredText(missing: string, problemOf: (text: string) => string | null, error_code?: string) {
  return z
    .pipe(
      z.unknown().check(
        z.superRefine((value, context) => {
          const isMissing = value === undefined || value === null || value === ''
          const message = isMissing ? missing : typeof value === 'string' ? problemOf(value) : 'must be text'
          if (!message) return
          context.addIssue({ code: 'custom', message, ...(!isMissing && { params: { error_code } }) })
        }),
      ),
      z.transform((value) => value as string),
    )
    .check(z.meta({ type: 'string' }))
}

/** Who pays for the editor's calls. */
const payer = z._default(payerSchema, 'personal')

const missingPkce = 'Missing PKCE parameters (code_challenge or state).'
const missingForCallback = 'Missing required parameters for VSCode callback.'
const missingForPage = 'Missing required parameters. Please start the authentication flow from VSCode.'

/** For authors whose extension knows an earlier contract, which had neither of them. */
const missingRequest =
  'request is missing: send the one of auth_url. An authorization_code of your own is ignored. See docs/extension.md, "Send the user to the browser".'
const missingConfirmation =
  'confirmation is missing: call prepare-vscode-auth, and send its confirmation once the user has agreed. See docs/extension.md, "Without a challenge".'

const atMost = (limit: number, name: string) => (text: string) =>
  text.length <= limit ? null : `${name} is too long`

/** SHA-256 in base64url is always 43 characters; this detects a plain verifier of another length. */
const challengeProblem = (text: string) =>
  /^[\w-]{43}$/.test(text) ? null : 'code_challenge must be the base64url SHA-256 of the verifier (S256)'

export const initiateVscodeAuth = endpoint({
  method: 'POST',
  path: '/api/auth/initiate-vscode-auth',
  summary: 'Begin a browser sign-in of the editor extension',
  auth: 'public',
  limit: 'sign_in',
  body: z.strictObject({
    redirect_uri: requiredText('Missing VSCode redirect URI parameter.', redirectUriProblem),
    code_challenge: requiredText(missingPkce, challengeProblem),
    state: requiredText(missingPkce, stateProblem),
    code_challenge_method: z.optional(z.literal('S256')),
    editor_name: editorNameSchema,
  }),
  response: z.object({ success: z.literal(true), auth_url: z.url(), expires_in: z.int() }),
})

export const updateAuthCode = endpoint({
  method: 'POST',
  path: '/api/auth/update-auth-code',
  summary: 'Agree to a browser sign-in as the signed-in user; returns the code to send back',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    state: requiredText(missingForCallback, stateProblem),
    /** As `auth_url` has it: what the editor began, signed. */
    request: requiredText(missingRequest, atMost(4096, 'request')),
    clerk_user_id: userIdSchema,
    /** As the page showed it. */
    editor_name: editorNameSchema,
    payer,
    /** Accepted but ignored: a page's own code could be guessed, and profiles come from Clerk. */
    authorization_code: z.optional(z.string().check(z.maxLength(4096))),
    email: z.nullish(z.string().check(z.maxLength(320))),
    username: z.nullish(z.string().check(z.maxLength(320))),
  }),
  response: z.object({
    success: z.literal(true),
    authorization_code: z.string(),
    /** The redirect address that the extension named at the start, not one from the page's address. */
    redirect_uri: z.string(),
  }),
})

export const prepareVscodeAuth = endpoint({
  method: 'POST',
  path: '/api/auth/prepare-vscode-auth',
  summary: 'Begin a sign-in of the alternative page; it gives nothing until its user has agreed there',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    state: requiredText(missingForPage, stateProblem),
    clerk_user_id: userIdSchema,
    redirect_uri: requiredText(missingForPage, redirectUriProblem),
    editor_name: editorNameSchema,
  }),
  response: z.object({
    success: z.literal(true),
    /** Proves to complete-vscode-auth that the page of this state, address and user asked. Works once. */
    confirmation: z.string(),
    /** Seconds in which the user has to agree. */
    expires_in: z.int(),
    /** The account's address in our database. */
    email: z.string(),
  }),
})

export const completeVscodeAuth = endpoint({
  method: 'POST',
  path: '/api/auth/complete-vscode-auth',
  summary: 'Agree to a sign-in of the alternative page; returns the code to send back',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    state: requiredText(missingForPage, stateProblem),
    clerk_user_id: userIdSchema,
    redirect_uri: requiredText(missingForPage, redirectUriProblem),
    /** From prepare-vscode-auth, sent when the user has agreed. */
    confirmation: requiredText(missingConfirmation, atMost(100, 'confirmation')),
    payer,
  }),
  response: z.object({
    success: z.literal(true),
    /** The user's id, a dot and a random proof. */
    authorization_code: z.string(),
  }),
})

const tokenParameter = z.string().check(z.minLength(1), z.maxLength(1024))

export const exchangeAuthCode = endpoint({
  method: 'POST',
  path: '/api/auth/token',
  summary: 'Exchange a finished browser sign-in for a long-lived token (OAuth 2.0, PKCE S256)',
  auth: 'public',
  limit: 'sign_in',
  form: true,
  errors: 'oauth',
  // RFC 6749, section 3.2: unknown fields are ignored, and empty ones count as missing.
  body: z.object({
    grant_type: requiredText(
      'grant_type is required',
      (text) => (text === 'authorization_code' ? null : 'grant_type must be authorization_code'),
      'unsupported_grant_type',
    ),
    code: tokenParameter,
    state: tokenParameter,
    redirect_uri: tokenParameter,
    /** Missing only where the sign-in began without a challenge. RFC 7636: 43 to 128 characters. */
    code_verifier: z.optional(
      z
        .string()
        .check(z.regex(/^[\w.~-]{43,128}$/, 'code_verifier must have 43 to 128 letters, digits and - . _ ~')),
    ),
    client_id: z.optional(z.string().check(z.maxLength(255))),
  }),
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.int(),
    expires_at: z.iso.datetime(),
  }),
})
