import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { BegunSignIn, OtherPayers } from './product.ts'

export interface Said {
  readonly title: string
  /** The reply, or why there is none. */
  readonly text: string
  /** Left out when the request was not made. */
  readonly charged?: number
  /** Where a user whose credits are used up gets more. */
  readonly buy_url?: string | undefined
  /** Who could pay instead. */
  readonly other_payers?: OtherPayers
}

/** A request that runs, and what comes of it. */
export interface Running {
  readonly id: string
  readonly request: AssistantRequest
  readonly answer: Promise<Omit<Said, 'title'>>
}

/** What the editor of one browser knows. */
export interface Session {
  begun: BegunSignIn | null
  token: string | null
  said: readonly Said[]
  running: readonly Running[]
  /** A sentence for the next page. */
  notice: string | null
}

const cookie = 'sandbox_editor'
const most = 1000

export class Sessions {
  readonly #known = new Map<string, Session>()

  of(context: RouterContext): Session {
    const known = this.#known.get(context.cookies.get(cookie) ?? '')
    if (known) return known
    const id = randomUUID()
    const session: Session = { begun: null, token: null, said: [], running: [], notice: null }
    this.#known.set(id, session)
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size > most) this.#known.delete(oldest)
    context.cookies.set(cookie, id, { httpOnly: true, sameSite: 'lax', overwrite: true })
    return session
  }

  forget(context: RouterContext): void {
    this.#known.delete(context.cookies.get(cookie) ?? '')
  }
}

export function beginSignIn(editorUrl: string): BegunSignIn {
  return {
    state: randomBytes(16).toString('base64url'),
    code_verifier: randomBytes(32).toString('base64url'),
    redirect_uri: `${editorUrl}/auth-complete`,
  }
}

/** The product's page on which the user signs in and agrees. */
export function signInPage(
  appUrl: string,
  { state, code_verifier, redirect_uri }: BegunSignIn,
  computer: string,
): string {
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const editor_name = `Sample editor on ${computer}`
  const search = new URLSearchParams({
    vscode_redirect_uri: redirect_uri,
    code_challenge,
    state,
    editor_name,
  })
  return `${appUrl}/auth/vscode-initiate?${search}`
}

export interface AssistantRequest {
  readonly title: string
  readonly model: string
  /** The most that it may cost, which the gateway reserves. */
  readonly at_most: number
  /** It runs until the user ends it; the others have their reply at once. */
  readonly is_long?: true
}

/** What a user can ask of the sample assistant. The gateway makes up the replies; what they cost is charged. */
export const requests = {
  explain: {
    title: 'Explain this function',
    model: 'sample-small',
    at_most: 20,
  },
  tests: {
    title: 'Let an agent write tests',
    model: 'sample-large',
    at_most: 75,
    is_long: true,
  },
  rewrite: {
    title: 'Rewrite the whole module',
    model: 'sample-large',
    at_most: 420,
  },
  broken: {
    title: 'Ask a model that is down',
    model: 'sample-down',
    at_most: 20,
  },
} as const satisfies Readonly<Record<string, AssistantRequest>>
type RequestName = keyof typeof requests

export function requestOf(name: string): AssistantRequest | null {
  return Object.hasOwn(requests, name) ? requests[name as RequestName] : null
}
