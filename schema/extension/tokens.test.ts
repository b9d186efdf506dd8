import { expect, test } from 'vitest'
import { tokenExpiry } from './tokens.ts'

test.each([
  ['2026-01-15T10:20:30.456Z', '2026-05-15T10:20:30.456Z'],
  ['2026-11-20T00:00:00.000Z', '2027-03-20T00:00:00.000Z'],
  ['2026-10-31T23:59:59.000Z', '2027-02-28T23:59:59.000Z'],
  ['2027-10-31T12:00:00.000Z', '2028-02-29T12:00:00.000Z'],
  ['2026-10-30T12:00:00.000Z', '2027-02-28T12:00:00.000Z'],
  ['2026-02-28T12:00:00.000Z', '2026-06-28T12:00:00.000Z'],
])('a token of %s expires at %s', (created, expires) => {
  expect(tokenExpiry(new Date(created)).toISOString()).toBe(expires)
})
