import { expect, test } from 'vitest'
import { hasFreshFactor } from './tokens.ts'

test.each([
  ['a first factor of now', [0, -1], 0, true],
  ['a first factor of ten minutes ago', [10, -1], 0, false],
  ['a first factor that has become old since the token was issued', [9, -1], 61, false],
  ['a first factor that is young at the end of the token', [8, -1], 61, true],
  ['a token of a clock that is ahead', [9, -1], -5, true],
  ['no factor', [-1, -1], 0, false],
  ['a fresh second factor', [4000, 0], 0, true],
  ['a fresh first factor beside an old second one', [0, 4000], 0, false],
  ['an age that is no number', ['0', -1], 0, false],
  ['no claim', null, 0, false],
])('a person with %s is believed, or not', (_, ages, aged_s, isFresh) => {
  const at = new Date()
  const issued_at = new Date(at.getTime() - aged_s * 1000)
  const factor_ages = ages as [number, number] | null
  expect(hasFreshFactor({ user_id: 'user_1', session_id: null, issued_at, factor_ages }, at)).toBe(isFresh)
})
