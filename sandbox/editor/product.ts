import { z } from 'zod'
import type { BegunSignIn } from './sign-in.ts'

const balanceAnswer = z.object({ available: z.int(), held: z.int(), low: z.boolean() })
export type Balance = z.infer<typeof balanceAnswer>

const holdAnswer = z.object({ hold: z.object({ id: z.uuid() }) })
const settledAnswer = z.object({ charged: z.int() })
const doneAnswer = z.object({ success: z.literal(true) })
const tokenAnswer = z.object({ access_token: z.string() })
/** `error` is a sentence for people, but OAuth's code at `/api/auth/token`. */
const failureAnswer = z.object({
  error: z.string(),
  error_description: z.string().optional(),
  code: z.string().optional(),
  buy_url: z.url().optional(),
})

/** An answer that is no success, with a sentence for the user. */
export class Refusal extends Error {
  /** 0 without an answer. */
  readonly status: number
  readonly buy_url: string | undefined
  constructor(status: number, text: string, buy_url?: string) {
    super(text)
    this.name = 'Refusal'
    this.status = status
    this.buy_url = buy_url
  }
}

/** The calls of docs/extension.md, made as an extension makes them. */
export function productAt(appUrl: string) {
  async function call<Answer>(
    path: string,
    request: RequestInit,
    answer: z.ZodType<Answer>,
  ): Promise<Answer> {
    const response = await fetch(`${appUrl}${path}`, request).catch(() => null)
    if (!response) throw new Refusal(0, `${appUrl} does not answer.`)
    const body: unknown = await response.json().catch(() => null)
    if (response.ok) return answer.parse(body)
    const failure = failureAnswer.safeParse(body)
    if (!failure.success) throw new Refusal(response.status, `${appUrl} answered ${response.status}.`)
    const { error, error_description, code, buy_url } = failure.data
    // Where only reserved credits stand in the way, waiting helps and buying is not needed.
    const offered = code === 'credits_held' ? undefined : buy_url
    throw new Refusal(response.status, error_description ?? error, offered)
  }
  /** A call whose answer was lost is made again, and is the same call: of a key, or of a hold. */
  function post<Answer>(token: string, path: string, body: object, answer: z.ZodType<Answer>) {
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    return call(path, request, answer).catch((error) => {
      if (error instanceof Refusal && (error.status === 0 || error.status >= 500)) {
        return call(path, request, answer)
      }
      throw error
    })
  }
  return {
    async exchange(code: string, { state, code_verifier, redirect_uri }: BegunSignIn): Promise<string> {
      const grant_type = 'authorization_code'
      const body = new URLSearchParams({ grant_type, code, code_verifier, state, redirect_uri })
      return (await call('/api/auth/token', { method: 'POST', body }, tokenAnswer)).access_token
    },
    readBalance(token: string): Promise<Balance> {
      return call('/api/extension/balance', { headers: bearer(token) }, balanceAnswer)
    },
    async signOut(token: string): Promise<void> {
      await post(token, '/api/extension/sign-out', {}, doneAnswer)
    },
    /** Returns the hold's id. */
    async reserve(token: string, reservation: Reservation): Promise<string> {
      return (await post(token, '/api/extension/holds', reservation, holdAnswer)).hold.id
    },
    /** Returns what was charged. */
    async settle(token: string, hold_id: string, settlement: Settlement): Promise<number> {
      return (await post(token, `/api/extension/holds/${hold_id}/settle`, settlement, settledAnswer)).charged
    },
    async release(token: string, hold_id: string): Promise<void> {
      await post(token, `/api/extension/holds/${hold_id}/release`, {}, doneAnswer)
    },
  }
}

export interface Reservation {
  readonly credits: number
  readonly idempotency_key: string
  readonly description: string
  readonly model: string
  readonly project: string
}

export interface Settlement {
  readonly credits: number
  readonly outcome: 'completed' | 'failed'
  readonly reason?: 'provider_error'
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
