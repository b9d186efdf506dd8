import { expect, test } from 'vitest'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { balanceText, creditsShown, creditsUnit } from './balanceText.ts'

type Shown = Pick<AccountSummary, 'balance' | 'plan_month'>

const month = { granted: 500, used: 477, ends_at: '2026-12-07T12:00:00.000Z', resets: true }
const textOf = (balance: { plan: number; purchased: number }, plan_month: Shown['plan_month'] = month) =>
  balanceText({ balance, plan_month } as AccountSummary)

test('a balance says how much of the plan’s month is used, when that resets and what was purchased', () => {
  expect(textOf({ plan: 23, purchased: 1000 })).toBe(
    '477 of 500 plan credits used · resets Dec 7 · 1,000 purchased',
  )
  expect(textOf({ plan: 23, purchased: 0 })).toBe('477 of 500 plan credits used · resets Dec 7')
})

test('a balance shows what is available, and what is reserved only while something is', () => {
  const shown = (balance: { total: number; available: number; held: number }) =>
    `${creditsShown(balance)} ${creditsUnit(balance)}`
  expect(shown({ total: 563, available: 488, held: 75 })).toBe('488 available · 75 reserved')
  expect(shown({ total: 563, available: 563, held: 0 })).toBe('563 credits')
  expect(shown({ total: 50, available: 0, held: 75 })).toBe('0 available · 75 reserved')
  expect(shown({ total: -40, available: 0, held: 0 })).toBe('-40 credits')
})

test('the rest of a month ends when the plan is cancelled', () => {
  expect(textOf({ plan: 23, purchased: 0 }, { ...month, resets: false })).toBe(
    '477 of 500 plan credits used · the rest ends Dec 7',
  )
})

test('a balance says less where less is known', () => {
  expect(textOf({ plan: 23, purchased: 0 }, { ...month, ends_at: null })).toBe('477 of 500 plan credits used')
  expect(textOf({ plan: -50, purchased: 20 }, null)).toBe('-50 plan credits · 20 purchased')
  expect(textOf({ plan: 0, purchased: 20 }, null)).toBe('20 purchased')
  expect(textOf({ plan: 0, purchased: 0 }, null)).toBe('')
})
