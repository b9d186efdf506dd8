import { expect, test } from 'vitest'
import { purchaseKeys } from './begunPurchase.ts'

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
