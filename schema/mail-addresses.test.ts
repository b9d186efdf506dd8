import { expect, test } from 'vitest'
import { withoutAddresses } from './mail-addresses.ts'

test.each([
  ['Key (email)=(ada@tidemark.test) already exists', 'Key (email)=([address]) already exists'],
  ['"größe.x+y@müller.example", <b@c.example>', '"[address]", <[address]>'],
  [`${'a'.repeat(100)}@tidemark.test`, `${'a'.repeat(36)}[address]`],
  [
    'at f (/app/node_modules/@clerk/backend/index.js:1:2)',
    'at f (/app/node_modules/@clerk/backend/index.js:1:2)',
  ],
  ['No address in it', 'No address in it'],
])('the addresses of a text are taken out, and nothing else: %s', (text, without) => {
  expect(withoutAddresses(text)).toBe(without)
})
