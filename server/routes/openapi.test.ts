import { expect, test } from 'vitest'
import { z } from 'zod'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { routes } from '../routes.ts'

const { server } = testProduct({
  clerk: 'trusting',
  server: { deps: { isSupportStaff: async (userId) => userId === 'user_sam' } },
})

test('the contract describes what a call takes, who may make it, and its errors', async () => {
  const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as OpenapiDocument
  expect(document.openapi).toBe('3.1.0')
  const purchase = document.paths['/api/billing/credit-purchase']?.post
  expect(purchase).toMatchObject({
    security: [{ bearer: [] }],
    requestBody: {
      content: {
        'application/json': { schema: { properties: { credits: { minimum: 71, maximum: 71_428 } } } },
      },
    },
  })
  expect(document.paths['/api/stripe/session-status']?.get).toMatchObject({
    parameters: [{ name: 'session_id', in: 'query', required: true }],
  })
  expect(document.components.schemas).toHaveProperty('Error')
  const schema = { $ref: '#/components/schemas/Error' }
  expect(document.paths['/api/extension/holds']?.post?.responses).toMatchObject({
    402: { content: { 'application/json': { schema: { properties: { held: {} } } } } },
    409: { description: expect.any(String), content: { 'application/json': { schema } } },
  })
  expect(document.paths['/api/extension/balance']?.get?.responses).toMatchObject({
    304: { description: expect.any(String) },
  })
})

test('the contract is sent once to a caller who keeps it, and counts as a page', async () => {
  const headers = { authorization: 'Bearer user_sam' }
  const tags = new Set<string | null>()
  for (const path of ['/api/openapi.json', '/api/support/openapi.json']) {
    const first = await fetch(`${server.url}${path}`, { headers })
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"page";/)
    const etag = first.headers.get('etag')
    tags.add(etag)
    const kept = { ...headers, 'if-none-match': `"other", ${etag}` }
    expect((await fetch(`${server.url}${path}`, { headers: kept })).status).toBe(304)
    const plain = await fetch(`${server.url}${path}`, {
      headers: { ...headers, 'accept-encoding': 'identity' },
    })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.json()).toEqual(await first.json())
  }
  expect(tags.size).toBe(2)
  expect(tags).not.toContain(null)
})

test('every route has a limit but those that count their own callers or must always answer', () => {
  const without = routes.filter(({ limit }) => limit === null).map(({ path }) => path)
  expect(without).toEqual(['/api/stripe/webhook', '/api/clerk/webhook', '/healthz', '/readyz'])
})

test('calls of support are in the contract of support staff alone', async () => {
  const pathsOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}${path}`, { headers })
    return answer.ok ? Object.keys(((await answer.json()) as OpenapiDocument).paths) : answer.status
  }
  const isOfSupport = (path: string) => path.startsWith('/api/support/')
  const known = await pathsOf('/api/openapi.json', { authorization: 'Bearer user_sam' })
  expect(known).not.toContainEqual(expect.stringMatching(/support/))
  const ofSupport = await pathsOf('/api/support/openapi.json', { authorization: 'Bearer user_sam' })
  expect(Array.isArray(ofSupport) && ofSupport.filter(isOfSupport).length).toBeGreaterThan(10)
  expect(await pathsOf('/api/support/openapi.json')).toBe(404)
  expect(await pathsOf('/api/support/openapi.json', { authorization: 'Bearer user_else' })).toBe(404)
})

const operation = z.looseObject({})
type OpenapiDocument = {
  openapi: string
  paths: Record<string, Record<string, z.infer<typeof operation>>>
  components: { schemas: object }
}
