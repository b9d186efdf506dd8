import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { endpoint } from '../../schema/api/endpoint.ts'
import { createApi } from './client.ts'
import { ApiFailure } from './failure.ts'

const some = { summary: 'Does something', auth: 'user', limit: 'read' } as const
const readThing = endpoint({
  ...{ ...some, method: 'GET', path: '/api/thing' },
  query: z.strictObject({ id: z.string(), cursor: z.optional(z.string()) }),
  response: z.object({ name: z.string() }),
})
const listThings = endpoint({
  ...{ ...some, method: 'GET', path: '/api/things', auth: 'public' },
  response: z.object({ names: z.array(z.string()) }),
})
const makeThing = endpoint({
  ...{ ...some, method: 'POST', path: '/api/thing' },
  body: z.strictObject({ name: z.string() }),
  response: z.object({ id: z.string() }),
})
const exportThings = endpoint({
  ...{ ...some, method: 'GET', path: '/api/things.csv' },
  file: 'text/csv',
  response: z.string(),
})

/** An API whose server always gives this answer, and the requests that it received. */
function apiAnswering(answer: Response | Error, token: string | null = 'token-1') {
  const requests: Request[] = []
  const api = createApi({
    getToken: async () => token,
    fetch: async (address, init) => {
      requests.push(new Request(new URL(String(address), 'http://app.test'), init))
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { api, requests }
}

async function failureOf(promise: Promise<unknown>): Promise<ApiFailure> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiFailure)) throw error
  return error
}

describe('createApi', () => {
  it('createApi sends the query and the bearer token, and leaves out undefined parameters', async () => {
    const { api, requests } = apiAnswering(Response.json({ name: 'one' }))
    await expect(api(readThing, { query: { id: 'a/b c', cursor: undefined } })).resolves.toEqual({
      name: 'one',
    })
    expect(requests[0]?.url).toBe('http://app.test/api/thing?id=a%2Fb+c')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer token-1')
  })

  it('createApi sends a body as JSON, and names a request that can be repeated', async () => {
    const { api, requests } = apiAnswering(Response.json({ id: '1' }))
    await api(makeThing, { body: { name: 'one' }, idempotencyKey: 'key-1' })
    expect(requests[0]?.method).toBe('POST')
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
    await expect(requests[0]?.json()).resolves.toEqual({ name: 'one' })
    expect(requests[0]?.headers.get('idempotency-key')).toBe('key-1')
  })

  it('the client never sends the token with a public call', async () => {
    const { api, requests } = apiAnswering(Response.json({ names: [] }))
    await api(listThings)
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })

  it('createApi sends no authorization header when signed out', async () => {
    const { api, requests } = apiAnswering(Response.json({ name: 'one' }), null)
    await api(readThing, { query: { id: '1' } })
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })

  it('createApi throws what the server answered: status, code, text, fields and request id', async () => {
    const { api } = apiAnswering(
      Response.json(
        {
          error: 'Minimum purchase is 71 credits',
          code: 'invalid_request',
          message: 'Minimum purchase is 71 credits',
          request_id: 'req_1',
          fields: [{ path: 'credits', message: 'Minimum purchase is 71 credits' }],
        },
        { status: 400 },
      ),
    )
    const failure = await failureOf(api(makeThing, { body: { name: '' } }))
    expect(failure).toMatchObject({
      status: 400,
      code: 'invalid_request',
      text: 'Minimum purchase is 71 credits',
      requestId: 'req_1',
      fields: [{ path: 'credits', message: 'Minimum purchase is 71 credits' }],
      final: true,
    })
  })

  it.each([
    [200, 'unexpected_answer', true, Response.json({ title: 'one' })],
    [502, 'no_error_body', false, new Response('<h1>Bad gateway</h1>', { status: 502 })],
    [0, 'unreachable', false, new TypeError('Failed to fetch')],
  ])('createApi throws a failure %i, %s, that is final: %s', async (status, code, final, answer) => {
    const { api } = apiAnswering(answer)
    const failure = await failureOf(api(readThing, { query: { id: '1' } }))
    expect(failure).toMatchObject({ status, code, text: null, final })
  })

  it('createApi takes a file as it is, and its failure as any other', async () => {
    const { api, requests } = apiAnswering(new Response('name\r\none\r\n'))
    await expect(api(exportThings)).resolves.toBe('name\r\none\r\n')
    expect(requests[0]?.headers.get('accept')).toBe('text/csv')
    const refused = apiAnswering(
      Response.json({ error: 'No', code: 'no', message: 'No', request_id: 'r' }, { status: 403 }),
    )
    expect(await failureOf(refused.api(exportThings))).toMatchObject({ status: 403, code: 'no', text: 'No' })
  })

  it('createApi treats a file that breaks off as a temporary failure', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('name'))
        controller.error(new TypeError('terminated'))
      },
    })
    const { api } = apiAnswering(new Response(broken))
    expect(await failureOf(api(exportThings))).toMatchObject({ status: 0, code: 'unreachable', final: false })
  })

  it('createApi passes an abort on unchanged', async () => {
    const reason = new DOMException('Left the page', 'AbortError')
    const { api } = apiAnswering(reason)
    const call = api(readThing, { query: { id: '1' }, signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
  })
})
