import { expect, test } from 'vitest'
import { returnAddresses } from './return-address.ts'

const settings = { app_url: 'http://localhost:3000', own_origins: ['http://localhost:3000'] }

test.each([
  ['http://localhost:3000\\@evil.example/', 'http://localhost:3000/@evil.example/'],
  ['HTTP://LOCALHOST:3000/pricing', 'http://localhost:3000/pricing'],
  ['http://localhost:3000/a/../billing?b=1', 'http://localhost:3000/billing?b=1'],
])('a return address is handed on as it was read, not as it was written: %s', (written, read) => {
  expect(returnAddresses(settings, { cancelUrl: written }).cancel_url).toBe(read)
  expect(returnAddresses(settings, { successUrl: written }).success_url).toBe(
    `${read}${read.includes('?') ? '&' : '?'}session_id={CHECKOUT_SESSION_ID}`,
  )
})
