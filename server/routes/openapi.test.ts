import { expect, test } from 'vitest'
import { z } from 'zod'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { server } = testProduct()

test('the contract lists the calls that are mounted', async () => {
  const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as OpenapiDocument
  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/billing/credit-purchase',
      '/api/stripe/session-status',
      '/api/stripe/webhook',
      '/api/clerk/webhook',
      '/api/user/get',
      '/api/plans',
    ]),
  )
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

const operation = z.looseObject({})
type OpenapiDocument = {
  openapi: string
  paths: Record<string, Record<string, z.infer<typeof operation>>>
  components: { schemas: object }
}
