import { expect, it } from 'vitest'
import { formatCreditChange, formatDate } from './format.ts'

it('a change has its sign, with a real minus sign, and a date is the same day in every time zone', () => {
  expect(formatCreditChange(1500)).toBe('+1,500')
  expect(formatCreditChange(-40)).toBe('−40')
  expect(formatDate('2026-01-05')).toBe('Jan 5, 2026')
})
