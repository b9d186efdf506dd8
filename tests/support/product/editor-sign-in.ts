import { createHash, randomBytes } from 'node:crypto'
import {
  completeVscodeAuth,
  exchangeAuthCode,
  initiateVscodeAuth,
  prepareVscodeAuth,
  updateAuthCode,
} from '../../../schema/api/extension-auth.ts'
import { signRequest } from '../../../schema/extension/sign-in-request.ts'
import type { Person } from '../services/clerk.ts'
import type { ApiAnswer, TestServer } from './test-server.ts'

export const editorUri = 'vscode://tidemark.tidemark/auth-complete'

/** What an extension makes up and keeps for one sign-in. */
export interface EditorSignIn {
  readonly state: string
  readonly code_verifier: string
  readonly code_challenge: string
  readonly redirect_uri: string
}

export function newSignIn(redirect_uri = editorUri): EditorSignIn {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  return { state: randomBytes(16).toString('base64url'), code_verifier, code_challenge, redirect_uri }
}

export function initiate(server: TestServer, signIn: EditorSignIn, fields: object = {}): Promise<ApiAnswer> {
  const { state, code_challenge, redirect_uri } = signIn
  return server.api(initiateVscodeAuth, { body: { state, code_challenge, redirect_uri, ...fields } })
}

/** What `auth_url` carries to the page on which its user agrees. */
export async function signedRequestOf(server: TestServer, signIn: EditorSignIn): Promise<string> {
  const { body } = await initiate(server, signIn)
  return new URL((body as { auth_url: string }).auth_url).searchParams.get('request') ?? ''
}

/** Agrees as the page in the browser does. Unless `fields` has a request, it is one that began just now. */
export async function bind(
  server: TestServer,
  signIn: EditorSignIn,
  person: Person,
  fields: object = {},
): Promise<ApiAnswer> {
  const { state, redirect_uri, code_challenge } = signIn
  const { deps } = server
  return server.api(updateAuthCode, {
    token: person.token,
    body: {
      state,
      request: await signRequest(
        { state, redirect_uri, code_challenge },
        deps.settings.sign_in_secrets,
        deps.now(),
      ),
      clerk_user_id: person.user_id,
      authorization_code: Buffer.from(`${person.user_id}:${signIn.state}:${Date.now()}`).toString('base64'),
      email: 'claimed@evil.test',
      username: 'claimed',
      ...fields,
    },
  })
}

/** What the alternative page shows, before its user agrees. */
export function prepare(
  server: TestServer,
  signIn: EditorSignIn,
  person: Person,
  fields: object = {},
): Promise<ApiAnswer> {
  const { state, redirect_uri } = signIn
  const body = { state, redirect_uri, clerk_user_id: person.user_id, ...fields }
  return server.api(prepareVscodeAuth, { token: person.token, body })
}

/** Prepares and agrees, as the alternative page does. Returns the first refusal. */
export async function complete(
  server: TestServer,
  signIn: EditorSignIn,
  person: Person,
  fields: object = {},
): Promise<ApiAnswer> {
  const prepared = await prepare(server, signIn, person, fields)
  if (prepared.status !== 200) return prepared
  const { confirmation } = prepared.body as { confirmation: string }
  return confirm(server, signIn, person, { confirmation, ...fields, editor_name: undefined })
}

/** What the page sends back to the editor once its user has agreed. */
export function codeOf({ body }: ApiAnswer): string {
  return (body as { authorization_code: string }).authorization_code
}

/** The click. */
export function confirm(
  server: TestServer,
  signIn: EditorSignIn,
  person: Person,
  fields: object,
): Promise<ApiAnswer> {
  const { state, redirect_uri } = signIn
  const body = { state, redirect_uri, clerk_user_id: person.user_id, ...fields }
  return server.api(completeVscodeAuth, { token: person.token, body })
}

/** A sign-in up to the redirect back to the editor: all that its exchange needs. */
export async function signInBoundTo(
  server: TestServer,
  person: Person,
  signIn = newSignIn(),
  fields: object = {},
): Promise<EditorSignIn & { code: string }> {
  return { ...signIn, code: codeOf(await bind(server, signIn, person, fields)) }
}

/** Asks for the token, in a form as OAuth has it. An undefined field is left out. */
export async function exchange(
  server: TestServer,
  signIn: { code: string; state: string; redirect_uri: string; code_verifier?: string },
  fields: Record<string, string | undefined> = {},
): Promise<ApiAnswer> {
  const { code, state, redirect_uri, code_verifier } = signIn
  const all = { grant_type: 'authorization_code', code, state, redirect_uri, code_verifier, ...fields }
  const given = Object.entries(all).filter((field): field is [string, string] => field[1] !== undefined)
  const response = await fetch(`${server.url}${exchangeAuthCode.path}`, {
    method: 'POST',
    body: new URLSearchParams(given),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
