import { Pool } from 'undici'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: Buffer
}

export interface HttpLoad {
  readonly perSecond: number
  readonly requests: number
}

/** As many as keep a server of one process busy. */
const connections = 32

/**
 * Sends requests that were made before, over connections that stay open, until `next` has none left or the
 * time is over. Throws at an answer of another status: a server that refuses is fast.
 */
export async function sendRequests(
  url: string,
  next: () => HttpRequest | undefined,
  options: { readonly seconds: number; readonly status: number },
): Promise<HttpLoad> {
  const pool = new Pool(url, { connections, pipelining: 1 })
  const started = performance.now()
  const end = started + options.seconds * 1000
  let requests = 0
  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < end) {
          const request = next()
          if (!request) return
          await send(pool, request, options.status)
          requests += 1
        }
      }),
    )
  } finally {
    await pool.destroy()
  }
  return { requests, perSecond: requests / ((performance.now() - started) / 1000) }
}

/** Below undici's `request`, which makes a stream of each answer. */
export function send(pool: Pool, request: HttpRequest, expected: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0
    let answer = ''
    pool.dispatch(
      { method: request.method, path: request.path, headers: request.headers, body: request.body ?? null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode) => {
          status = statusCode
        },
        onResponseData: (_, chunk) => {
          if (status !== expected) answer += chunk
        },
        onResponseEnd: () =>
          status === expected ? resolve() : reject(new Error(`${request.path}: ${status} ${answer}`)),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

/**
 * Makes about as many requests as fit into the time, judged by how many did the last time, and then sends
 * them.
 */
export function createHttpSide(
  url: string,
  make: (count: number) => HttpRequest[] | Promise<HttpRequest[]>,
  status = 200,
): (seconds: number) => Promise<number> {
  let perSecond = 600
  return async (seconds) => {
    const requests = await make(Math.ceil(perSecond * seconds * 1.5))
    let sent = 0
    const load = await sendRequests(url, () => requests[sent++], { seconds, status })
    perSecond = load.perSecond
    return perSecond
  }
}
