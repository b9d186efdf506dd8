import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import {
  addressOf,
  type BodyInputOf,
  type Endpoint,
  type ParamsOf,
  type ResponseOf,
} from '../../schema/api/endpoint.ts'
import { apiErrorSchema } from '../../schema/api/error.ts'
import { ApiFailure } from './failure.ts'

type QueryInputOf<E extends Endpoint> = E['query'] extends z.core.$ZodType ? z.input<E['query']> : undefined

export interface CallInput<E extends Endpoint> {
  params?: ParamsOf<E>
  query?: QueryInputOf<E>
  body?: BodyInputOf<E>
  /** For calls that are `idempotent`: a repeated request gets the first answer. */
  idempotencyKey?: string
  signal?: AbortSignal
}

export type Api = <E extends Endpoint>(endpoint: E, input?: CallInput<E>) => Promise<ResponseOf<E>>

interface ApiDependencies {
  /** The signed-in user's bearer token; `null` when signed out. */
  getToken: () => Promise<string | null>
  fetch: typeof globalThis.fetch
}

/** The function for all calls to our server. Throws `ApiFailure` unless the answer fits the endpoint. */
export function createApi({ getToken, fetch }: ApiDependencies): Api {
  return async (endpoint, { params, query, body, idempotencyKey, signal } = {}) => {
    const headers = new Headers({ accept: endpoint.file ?? 'application/json' })
    if (endpoint.auth === 'user' || endpoint.auth === 'support') {
      const token = await getToken()
      if (token) headers.set('authorization', `Bearer ${token}`)
    }
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
    const request: RequestInit = { method: endpoint.method, headers, ...(signal && { signal }) }
    if (body !== undefined) request.body = JSON.stringify(body)

    const response = await send(fetch, addressOf(endpoint, params) + queryString(query), request)
    const answer = await (endpoint.file && response.ok ? readText(response) : readJson(response))
    if (!response.ok) throw failureOf(response, answer)
    const parsed = z.safeParse(endpoint.response, answer)
    if (!parsed.success) {
      throw new ApiFailure({
        status: response.status,
        code: 'unexpected_answer',
        text: null,
        requestId: response.headers.get('x-request-id'),
        cause: parsed.error,
      })
    }
    return parsed.data as ResponseOf<typeof endpoint>
  }
}

/** A call as a query of a reader's, which are the words that its key begins with. */
export function readOf<E extends Endpoint>(
  api: Api,
  endpoint: E,
  reader: readonly string[],
  query?: QueryInputOf<E>,
) {
  return queryOptions({
    queryKey: [...reader, endpoint.path, query],
    queryFn: ({ signal }) => api(endpoint, { ...(query !== undefined && { query }), signal }),
  })
}

async function send(
  fetch: typeof globalThis.fetch,
  address: string,
  request: RequestInit,
): Promise<Response> {
  try {
    return await fetch(address, request)
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw new ApiFailure({ status: 0, code: 'unreachable', text: null, cause: error })
  }
}

/** A file arrives while it is made; where the server cannot go on, it breaks the connection off. */
async function readText(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw new ApiFailure({ status: 0, code: 'unreachable', text: null, cause: error })
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // For example a gateway's HTML page. The status is then all we know.
    return undefined
  }
}

function failureOf(response: Response, answer: unknown): ApiFailure {
  const parsed = apiErrorSchema.safeParse(answer)
  if (!parsed.success) {
    return new ApiFailure({
      status: response.status,
      code: 'no_error_body',
      text: null,
      requestId: response.headers.get('x-request-id'),
    })
  }
  const { error, code, fields, request_id, clerk_error } = parsed.data
  const { status } = response
  return new ApiFailure({ status, code, text: error, fields, requestId: request_id, clerk_error })
}

function queryString(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  const text = search.toString()
  return text && `?${text}`
}
