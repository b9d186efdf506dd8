import { expect, it } from 'vitest'
import { formatCreditChange, formatDate, formatMoney } from './format.ts'

it('a change has its sign, with a real minus sign, and a date is the same day in every time zone', () => {
  expect(formatCreditChange(1500)).toBe('+1,500')
  expect(formatCreditChange(-40)).toBe('−40')
  expect(formatDate('2026-01-05')).toBe('Jan 5, 2026')
})

it('amounts are written in the smallest unit that their currency has', () => {
  expect(formatMoney(700, 'EUR')).toBe('€7.00')
  expect(formatMoney(700, 'JPY')).toBe('¥700')
})
