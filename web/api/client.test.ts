import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../schema/api/endpoint.ts'
import { createApi } from './client.ts'
import { ApiFailure } from './failure.ts'
import { failureNotice } from './translate.ts'

const readThing = endpoint({
  method: 'GET',
  path: '/api/thing',
  summary: 'Reads',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ id: z.string(), cursor: z.string().optional() }),
  response: z.object({ name: z.string() }),
})
const listThings = endpoint({
  method: 'GET',
  path: '/api/things',
  summary: 'Lists',
  auth: 'public',
  limit: 'read',
  response: z.object({ names: z.array(z.string()) }),
})
const makeThing = endpoint({
  method: 'POST',
  path: '/api/thing',
  summary: 'Makes',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ name: z.string() }),
  response: z.object({ id: z.string() }),
})

/** An API over a server that gives one answer and remembers what it was asked. */
function apiAnswering(answer: Response | Error, token: string | null = 'token-1') {
  const asked: Request[] = []
  const api = createApi({
    getToken: async () => token,
    fetch: async (address, init) => {
      asked.push(new Request(new URL(String(address), 'http://app.test'), init))
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { api, asked }
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
  it('sends the query and the bearer token, and leaves out what is undefined', async () => {
    const { api, asked } = apiAnswering(Response.json({ name: 'one' }))
    await expect(api(readThing, { query: { id: 'a/b c', cursor: undefined } })).resolves.toEqual({
      name: 'one',
    })
    expect(asked[0]?.url).toBe('http://app.test/api/thing?id=a%2Fb+c')
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer token-1')
  })

  it('sends a body as JSON', async () => {
    const { api, asked } = apiAnswering(Response.json({ id: '1' }))
    await api(makeThing, { body: { name: 'one' } })
    expect(asked[0]?.method).toBe('POST')
    expect(asked[0]?.headers.get('content-type')).toBe('application/json')
    await expect(asked[0]?.json()).resolves.toEqual({ name: 'one' })
  })

  it('never shows the token to a public call', async () => {
    const { api, asked } = apiAnswering(Response.json({ names: [] }))
    await api(listThings)
    expect(asked[0]?.headers.has('authorization')).toBe(false)
  })

  it('sends no authorization at all when nobody is signed in', async () => {
    const { api, asked } = apiAnswering(Response.json({ name: 'one' }), null)
    await api(readThing, { query: { id: '1' } })
    expect(asked[0]?.headers.has('authorization')).toBe(false)
  })

  it('throws what the server said: status, code, text, fields and request id', async () => {
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

  it('refuses an answer of another shape, for good', async () => {
    const { api } = apiAnswering(Response.json({ title: 'one' }))
    const failure = await failureOf(api(readThing, { query: { id: '1' } }))
    expect(failure).toMatchObject({ status: 200, code: 'unexpected_answer', text: null, final: true })
  })

  it('takes a gateway’s page for a passing failure without a text', async () => {
    const { api } = apiAnswering(new Response('<h1>Bad gateway</h1>', { status: 502 }))
    const failure = await failureOf(api(readThing, { query: { id: '1' } }))
    expect(failure).toMatchObject({ status: 502, code: 'no_error_body', text: null, final: false })
  })

  it('takes a lost connection for a passing failure', async () => {
    const { api } = apiAnswering(new TypeError('Failed to fetch'))
    const failure = await failureOf(api(readThing, { query: { id: '1' } }))
    expect(failure).toMatchObject({ status: 0, code: 'unreachable', final: false })
  })

  it('lets an abort through as what it is', async () => {
    const reason = new DOMException('Left the page', 'AbortError')
    const { api } = apiAnswering(reason)
    const call = api(readThing, { query: { id: '1' }, signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
  })
})

describe('failureNotice', () => {
  it('prefers the server’s text and names the request', () => {
    const failure = new ApiFailure({
      status: 500,
      code: 'internal',
      text: 'The books are closed',
      requestId: 'req_2',
    })
    expect(failureNotice(failure, 'Default')).toEqual({ text: 'The books are closed', reference: 'req_2' })
  })

  it.each([
    new ApiFailure({ status: 502, code: 'no_error_body', text: null }),
    new ApiFailure({ status: 500, code: 'internal', text: '' }),
    new TypeError('x is not a function'),
    'nonsense',
    undefined,
  ])('says the default where the server said nothing: %s', (error) => {
    expect(failureNotice(error, 'Default')).toEqual({ text: 'Default', reference: null })
  })
})
