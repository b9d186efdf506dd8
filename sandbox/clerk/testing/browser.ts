import type { Sandbox } from '../../kit/serve.ts'

type Answer = { status: number; body: ClientAnswer; headers: Headers }
// biome-ignore lint/suspicious/noExplicitAny: answers of every endpoint pass through here, and each test knows its own
type ClientAnswer = any
type Form = Record<string, string | string[]>

/** A browser as the script sees it: forms, the real verb in the query, and a cookie jar. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #sandbox: { url: string }
  readonly #origin: string

  constructor(sandbox: Pick<Sandbox, 'url'>, { origin = 'http://localhost:3000' } = {}) {
    this.#sandbox = sandbox
    this.#origin = origin
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path)
  }

  post(path: string, form: Form = {}): Promise<Answer> {
    return this.#send('POST', path, form)
  }

  patch(path: string, form: Form = {}): Promise<Answer> {
    return this.#send('POST', withMethod(path, 'PATCH'), form)
  }

  delete(path: string): Promise<Answer> {
    return this.#send('POST', withMethod(path, 'DELETE'), {})
  }

  /** Any verb, as the script sends it. */
  send(method: string, path: string, form: Form = {}): Promise<Answer> {
    return method === 'GET' || method === 'POST'
      ? this.#send(method, path, method === 'GET' ? undefined : form)
      : this.#send('POST', withMethod(path, method), form)
  }

  /** Signs up as the component does, and returns the answer of the last step. */
  async signUp({ email, password = 'a-long-password', firstName = 'Ada', lastName = 'Lovelace' }: NewPerson) {
    const started = await this.post('/v1/client/sign_ups', {
      email_address: email,
      password,
      first_name: firstName,
      last_name: lastName,
    })
    const id = started.body.response.id
    await this.post(`/v1/client/sign_ups/${id}/prepare_verification`, { strategy: 'email_code' })
    return this.post(`/v1/client/sign_ups/${id}/attempt_verification`, {
      strategy: 'email_code',
      code: '424242',
    })
  }

  async signIn({ email, password }: { email: string; password: string }) {
    const started = await this.post('/v1/client/sign_ins', { identifier: email })
    return this.post(`/v1/client/sign_ins/${started.body.response.id}/attempt_first_factor`, {
      strategy: 'password',
      password,
    })
  }

  async #send(method: string, path: string, form?: Form): Promise<Answer> {
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(form ?? {})) {
      for (const one of [value].flat()) body.append(name, one)
    }
    const response = await fetch(this.#sandbox.url + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET' ? { referer: `${this.#origin}/somewhere` } : { origin: this.#origin }),
      },
      ...(form ? { body } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (name && value !== undefined) this.cookies.set(name, value)
    }
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    }
  }
}

type NewPerson = { email: string; password?: string; firstName?: string; lastName?: string }

function withMethod(path: string, method: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}_method=${method}`
}
