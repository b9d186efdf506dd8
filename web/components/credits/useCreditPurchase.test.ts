import { describe, expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { purchaseFailureText, purchaseKeys } from './useCreditPurchase.ts'

const personal = { payer: 'personal', userId: 'user_1' }
const dashboard = { payer: personal, from: 'dashboard' } as const
const billing = { payer: personal, from: 'billing' } as const
const organization = { payer: { ...personal, payer: 'org_1' }, from: 'dashboard' } as const
const failure = (code: string, text: string | null = null) => new ApiFailure({ status: 503, code, text })

describe('a purchase that did not begin', () => {
  test.each([
    [dashboard, 'Failed to process credit addition'],
    [billing, 'Failed to create top-up session'],
    [organization, 'Failed to create top-up session'],
  ])('the notice of a failed purchase on %o says what failed', (purchase, text) => {
    expect(purchaseFailureText(failure('no_error_body'), purchase)).toBe(text)
    expect(purchaseFailureText(new TypeError('x is not a function'), purchase)).toBe(text)
  })

  test('the notice of a failed purchase contains the server’s text', () => {
    expect(purchaseFailureText(failure('checkout_failed', 'Please wait.'), dashboard)).toBe('Please wait.')
  })

  test('the notice of a purchase without a billing address says so', () => {
    expect(purchaseFailureText(failure('unexpected_answer'), billing)).toBe('No checkout URL received')
  })
})

function storage() {
  const values = new Map<string, string>()
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
}

/** Two tabs of one browser, and a clock. */
function browser() {
  const local = storage()
  const clock = { ms: 0 }
  const tab = () => purchaseKeys({ local, session: storage() }, () => clock.ms)
  return { clock, local, one: tab(), other: tab() }
}

test('the same purchase in two tabs has one key', () => {
  const { one, other } = browser()
  expect(other.keyOf('user_ada 500')).toBe(one.keyOf('user_ada 500'))
})

test('another amount, or another payer, has another key', () => {
  const { one, other } = browser()
  const key = one.keyOf('user_ada 500')
  expect(other.keyOf('user_ada 501')).not.toBe(key)
  expect(other.keyOf('org_acme 500')).not.toBe(key)
})

test('a minute later the same amount is another purchase', () => {
  const { clock, one, other } = browser()
  const key = one.keyOf('user_ada 500')
  clock.ms = 59_999
  expect(other.keyOf('user_ada 500')).toBe(key)
  clock.ms = 60_000
  expect(other.keyOf('user_ada 500')).not.toBe(key)
})

test('a user who returns from the payment page starts a new purchase', () => {
  const { one, other } = browser()
  const key = one.keyOf('user_ada 500')
  one.leave(key)
  other.comeBack()
  expect(other.keyOf('user_ada 500')).toBe(key)
  one.comeBack()
  expect(one.keyOf('user_ada 500')).not.toBe(key)
})

test('a foreign value stored under the name is no key', () => {
  const { local, one } = browser()
  local.setItem('credit-purchase', 'nonsense')
  expect(one.keyOf('user_ada 500')).toMatch(/^[0-9a-f-]{36}$/)
})
