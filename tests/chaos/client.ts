import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { BodyInputOf, Endpoint, ResponseOf } from '../../schema/api/endpoint.ts'
import { type ApiAnswer, type ApiRequest, callApi } from '../support/product/test-server.ts'

export type Answer = Pick<ApiAnswer, 'status' | 'body'>

/** How people's browsers and editors call the product while it is being killed. */
export interface Client {
  /** One try; null when there was no answer. */
  attempt(endpoint: Endpoint, request: ApiRequest<unknown>, signal?: AbortSignal): Promise<Answer | null>
  /** Again and again until there is an answer that another try would not change. */
  call(endpoint: Endpoint, request: ApiRequest<unknown>): Promise<Answer>
  /** The same, and it must succeed. */
  ask<E extends Endpoint>(endpoint: E, request?: ApiRequest<BodyInputOf<E>>): Promise<ResponseOf<E>>
  readonly counts: { calls: number; unanswered: number; turned_away: number }
}

/** Longer than any fault lasts here. A call without an answer in this time is a failure of the product. */
export const patience_ms = 15 * 60_000
/** A try that hangs is given up, as browsers and editors do sooner or later. */
const longestTry_ms = 30_000

export function createClient(url: string): Client {
  const counts = { calls: 0, unanswered: 0, turned_away: 0 }

  const attempt: Client['attempt'] = async (endpoint, request, signal) => {
    counts.calls++
    const ending = AbortSignal.any([AbortSignal.timeout(longestTry_ms), ...(signal ? [signal] : [])])
    try {
      return await callApi(url, endpoint, request, ending)
    } catch {
      counts.unanswered++
      return null
    }
  }

  const call: Client['call'] = async (endpoint, request) => {
    const deadline = Date.now() + patience_ms
    let last: Answer | null = null
    for (let pause_ms = 100; Date.now() < deadline; pause_ms = Math.min(pause_ms * 2, 1500)) {
      last = await attempt(endpoint, request)
      if (last && isFinal(last)) return last
      if (last) counts.turned_away++
      await delay(pause_ms)
    }
    throw new Error(`${endpoint.path} had no answer for ${patience_ms / 1000} s: ${JSON.stringify(last)}`)
  }

  return {
    attempt,
    call,
    async ask(endpoint, request = {}) {
      const { status, body } = await call(endpoint, request)
      if (status !== 200) throw new Error(`${endpoint.path}: ${status} ${JSON.stringify(body)}`)
      return z.parse(endpoint.response, body) as ResponseOf<typeof endpoint>
    },
    counts,
  }
}

/** Not a failure on the other side, and not a request to wait. */
export function isFinal({ status, body }: Answer): boolean {
  const code = (body as { code?: string } | null)?.code
  return status < 500 && status !== 429 && code !== 'request_in_progress'
}
