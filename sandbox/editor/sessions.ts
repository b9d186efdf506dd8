import { randomUUID } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { OtherPayers } from './product.ts'
import type { AssistantRequest } from './requests.ts'
import type { BegunSignIn } from './sign-in.ts'

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

/** A request that runs, and the hold that is settled when it ends. */
export interface Running {
  readonly hold_id: string
  readonly request: AssistantRequest
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
