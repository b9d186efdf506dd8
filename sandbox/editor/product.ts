import { z } from 'zod'

const balanceAnswer = z.object({ available: z.int(), held: z.int(), low: z.boolean() })

const payersAnswer = z.object({
  payers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      is_default: z.boolean(),
      cannot_pay: z.enum(['no_seat', 'no_credits', 'payment_failed']).nullable(),
    }),
  ),
})
export type Payer = z.infer<typeof payersAnswer>['payers'][number]

/** What the page shows beside the conversation. */
export interface Account {
  readonly payers: readonly Payer[]
  /** Null where no payer can pay. */
  readonly balance: z.infer<typeof balanceAnswer> | null
}

const doneAnswer = z.object({ success: z.literal(true) })
const tokenAnswer = z.object({ access_token: z.string() })
/** `error` is a sentence for people, but OAuth's code at `/api/auth/token`. */
const failureAnswer = z.object({
  error: z.string(),
  error_description: z.string().optional(),
  code: z.string().optional(),
  buy_url: z.url().optional(),
  other_payers: z.array(z.object({ id: z.string(), available: z.int() })).optional(),
})
export type OtherPayers = NonNullable<z.infer<typeof failureAnswer>['other_payers']>

/** A sign-in that has begun: its secrets stay in the editor (docs/extension.md, “Generate the secrets”). */
export interface BegunSignIn {
  readonly state: string
  readonly code_verifier: string
  readonly redirect_uri: string
}

/** An answer that is no success, with a sentence for the user. */
export class Refusal extends Error {
  /** 0 without an answer. */
  readonly status: number
  readonly buy_url: string | undefined
  readonly other_payers: OtherPayers
  constructor(status: number, text: string, buy_url?: string, other_payers: OtherPayers = []) {
    super(text)
    this.name = 'Refusal'
    this.status = status
    this.buy_url = buy_url
    this.other_payers = other_payers
  }
}

export function refusalOf(status: number, body: unknown, address: string): Refusal {
  const failure = failureAnswer.safeParse(body)
  if (!failure.success) return new Refusal(status, `${address} answered ${status}.`)
  const { error, error_description, code, buy_url, other_payers } = failure.data
  // Where only reserved credits stand in the way, waiting helps and buying is not needed.
  return new Refusal(
    status,
    error_description ?? error,
    code === 'credits_held' ? undefined : buy_url,
    other_payers,
  )
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
    throw refusalOf(response.status, body, appUrl)
  }
  /** A call whose answer was lost is made again, and is the same call. */
  function send<Answer>(
    token: string,
    path: string,
    body: object,
    answer: z.ZodType<Answer>,
    method = 'POST',
  ) {
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const request = { method, headers, body: JSON.stringify(body) }
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
    /** A seat that is gone is no failure here: the page asks who pays. */
    async readAccount(token: string): Promise<Account> {
      const headers = bearer(token)
      const [{ payers }, balance] = await Promise.all([
        call('/api/extension/payers', { headers }, payersAnswer),
        call('/api/extension/balance', { headers }, balanceAnswer).catch((error) => {
          if (error instanceof Refusal && error.status === 404) return null
          throw error
        }),
      ])
      return { payers, balance }
    },
    async choosePayer(token: string, payer: string): Promise<void> {
      await send(token, '/api/extension/payer', { payer }, doneAnswer, 'PUT')
    },
    async signOut(token: string): Promise<void> {
      await send(token, '/api/extension/sign-out', {}, doneAnswer)
    },
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
