import { expect, test } from 'vitest'
import { z } from 'zod'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { server } = testProduct({
  clerk: 'trusting',
  server: { deps: { isSupportStaff: async (userId) => userId === 'user_sam' } },
})

test('the contract describes what a call takes, and who may make it', async () => {
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
})

test('the contract says of each error of a hold what it is about, and that it has the form of errors', async () => {
  const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as OpenapiDocument
  const schema = { $ref: '#/components/schemas/Error' }
  const errors = (...statuses: readonly number[]) =>
    Object.fromEntries(
      statuses.map((status) => [
        status,
        { description: expect.any(String), content: { 'application/json': { schema } } },
      ]),
    )
  const more = (status: number, field: string) => ({
    [status]: {
      description: expect.any(String),
      content: { 'application/json': { schema: { required: expect.arrayContaining(['error', field]) } } },
    },
  })
  const unpaid = more(404, 'other_payers')
  const holds = '/api/extension/holds'
  expect(paths[holds]?.post?.responses).toMatchObject({
    ...errors(409, 429),
    ...unpaid,
    ...more(402, 'held'),
  })
  expect(paths['/api/extension/usage']?.post?.responses).toMatchObject({ ...errors(409), ...unpaid })
  for (const act of ['extend', 'settle', 'release']) {
    expect(paths[`${holds}/{id}/${act}`]?.post?.responses).toMatchObject(errors(404, 409))
  }
  expect(paths[`${holds}/{id}`]?.get?.responses).toMatchObject(errors(404))
  expect(paths['/api/extension/balance']?.get?.responses).toMatchObject({
    304: { description: expect.any(String) },
    ...unpaid,
  })
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
