import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { kindOf, reasonOf } from './failures.ts'

test.each([
  [502, '<html>Bad gateway</html>', 'unavailable'],
  [400, '{"error":{"type":"invalid_request_error","code":"rate_limit"}}', 'unavailable'],
  [401, '{"error":{"type":"invalid_request_error"}}', 'unavailable'],
  [403, '{"error":{"type":"invalid_request_error"}}', 'unavailable'],
  [409, '{"error":{"type":"idempotency_error"}}', 'unavailable'],
  [424, '{"error":{"type":"api_error"}}', 'unavailable'],
  [400, '{"error":{"type":"invalid_request_error","code":"new_code","message":"No."}}', 'contradiction'],
  [402, '{"error":{"type":"card_error","code":"card_declined"}}', 'contradiction'],
  [418, '{"error":{"type":"teapot"}}', 'contradiction'],
] as const)('an answer of Stripe’s address of %i, %s, makes the try %s', async (status, body, kind) => {
  const vendor = createServer((_, response) => response.writeHead(status).end(body)).listen(0)
  const { port } = vendor.address() as AddressInfo
  const stripe = createStripe({ secretKey: 'sk_test_1', apiBase: `http://localhost:${port}` })
  const error = await stripe.customers.retrieve('cus_1').catch((reason: unknown) => reason)
  expect(kindOf(error)).toBe(kind)
  if (body.includes('new_code')) expect(reasonOf(error)).toBe('stripe_refuses {"says":"No. (new_code)"}')
  vendor.close()
})
