import { describe, expect, it } from 'vitest'
import { formatCreditChange, formatCredits, formatDate, formatDay } from './format.ts'

describe('format', () => {
  it('format separates thousands', () => {
    expect(formatCredits(71_428)).toBe('71,428')
    expect(formatCredits(-120)).toBe('-120')
  })

  it('format writes a change with its sign, using a real minus sign', () => {
    expect(formatCreditChange(1500)).toBe('+1,500')
    expect(formatCreditChange(-40)).toBe('−40')
  })

  it('format writes dates in US style with a short month', () => {
    expect(formatDay('2026-01-05T12:00:00.000Z')).toBe('Jan 5, 2026')
  })

  it('format writes a date as the same day in every time zone', () => {
    expect(formatDate('2026-01-05')).toBe('Jan 5, 2026')
  })
})
