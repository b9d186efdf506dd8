import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** What a browser asks of the product's own address; the answer's JSON. Throws when it is no success. */
export type Ask = <T>(path: string, request?: AskRequest) => Promise<T>

interface AskRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly form?: Record<string, string>
  readonly data?: object
}

export interface Person {
  readonly email: string
  readonly password: string
}

export interface Spending {
  readonly payer?: string
  readonly description?: string
  readonly model?: string
  readonly project?: string
  readonly outcome?: 'failed'
  readonly reason?: 'provider_error'
}

/** A person who acts by the calls that their pages make. */
export interface Caller {
  readonly userId: string
  /** Posts the data, or reads where there is none. */
  call<T>(path: string, data?: object): Promise<T>
  /** As the switcher of the sidebar does. */
  chooseOrganization(id: string): Promise<void>
  /** As an editor reports it that has the token, or else one that they generate. */
  spend(credits: number, more?: Spending & { readonly token?: string }): Promise<void>
}

/** A browser without pages: it keeps its cookies. */
export function openBrowser(appUrl: string, signal?: AbortSignal): Ask {
  const cookies = new Map<string, string>()
  return async <T>(path: string, { method, headers, form, data }: AskRequest = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form ? new URLSearchParams(form) : data && JSON.stringify(data)
    const response = await fetch(`${appUrl}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, cookie, ...(data && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }
}

const clerk = '/__clerk/v1'
const post = (form: object) => ({ method: 'POST', form: form as Record<string, string> })

interface Started {
  readonly response: { readonly id: string }
}

/** By the calls of the sign-up form; with the ticket of an invitation no code is asked for. */
export async function signUp(
  ask: Ask,
  {
    email,
    password,
    ...more
  }: Person & { readonly first_name?: string; readonly last_name?: string; readonly ticket?: string },
): Promise<void> {
  const path = `${clerk}/client/sign_ups`
  const { response } = await ask<Started>(path, post({ email_address: email, password, ...more }))
  if (more.ticket) return
  await ask(`${path}/${response.id}/prepare_verification`, post({ strategy: 'email_code' }))
  await ask(`${path}/${response.id}/attempt_verification`, post({ strategy: 'email_code', code: '424242' }))
}

/** By the calls of the sign-in form. */
export async function signIn(ask: Ask, { email, password }: Person): Promise<void> {
  const path = `${clerk}/client/sign_ins`
  const { response } = await ask<Started>(path, post({ identifier: email }))
  await ask(`${path}/${response.id}/attempt_first_factor`, post({ strategy: 'password', password }))
}

/** The person who is signed in. `origin` is that of the pages. With the operator's key a gateway reports what they spend. */
export async function callerOf(ask: Ask, origin: string, operatorKey?: string): Promise<Caller> {
  interface Client {
    readonly response: { readonly sessions: readonly { id: string; user: { id: string } }[] }
  }
  const [session] = (await ask<Client>(`${clerk}/client`)).response.sessions
  if (!session) throw new Error('No person is signed in.')
  const ofSession = <T>(path: string, form = {}) =>
    ask<T>(`${clerk}/client/sessions/${session.id}/${path}`, { ...post(form), headers: { origin } })
  const send = <T>(path: string, token: string, data?: object) =>
    ask<T>(path, {
      method: data ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, origin },
      ...(data && { data }),
    })
  const call = async <T>(path: string, data?: object) =>
    send<T>(path, (await ofSession<{ jwt: string }>('tokens')).jwt, data)
  let generated: string | undefined
  return {
    userId: session.user.id,
    call,
    async chooseOrganization(active_organization_id) {
      await ofSession('touch', { active_organization_id })
    },
    async spend(credits, { token, ...more } = {}) {
      generated ??= token ?? (await call<Token>('/api/extension-token/generate', {})).access_token
      const spender = token ?? generated
      const on_behalf_of = operatorKey && { token: spender }
      const data = { credits, idempotency_key: randomUUID(), ...more, ...(on_behalf_of && { on_behalf_of }) }
      await send('/api/extension/usage', operatorKey ?? spender, data)
    },
  }
}

interface Token {
  readonly access_token: string
}

/** Signs an editor in as docs/extension.md says; returns its token. */
export async function connectEditor(
  ask: Ask,
  { userId, call }: Caller,
  { redirect_uri, editor_name }: { readonly redirect_uri: string; readonly editor_name: string },
): Promise<string> {
  const state = randomBytes(16).toString('base64url')
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const { auth_url } = await ask<{ auth_url: string }>('/api/auth/initiate-vscode-auth', {
    method: 'POST',
    data: { redirect_uri, code_challenge, state, editor_name },
  })
  const request = new URL(auth_url).searchParams.get('request')
  const consent = { state, request, clerk_user_id: userId, editor_name }
  const { authorization_code: code } = await call<{ authorization_code: string }>(
    '/api/auth/update-auth-code',
    consent,
  )
  const grant_type = 'authorization_code'
  const form = { grant_type, code, state, redirect_uri, code_verifier }
  return (await ask<Token>('/api/auth/token', post(form))).access_token
}
