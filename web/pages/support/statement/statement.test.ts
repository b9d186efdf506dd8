import { expect, test } from 'vitest'
import { periodAfter, periodName, readPeriod, sumsOf } from './statement.ts'

test('days and months go on over the end of a year, in both directions', () => {
  expect(periodAfter({ month: '2026-12' }, 1)).toEqual({ month: '2027-01' })
  expect(periodAfter({ month: '2026-01' }, -1)).toEqual({ month: '2025-12' })
  expect(periodAfter({ day: '2026-12-31' }, 1)).toEqual({ day: '2027-01-01' })
  expect(periodName({ month: '2026-02' })).toBe('February 2026')
  expect(periodName({ day: '2026-02-01' })).toBe('Feb 1, 2026')
})

test('an address that names neither a day nor a month has the present month', () => {
  const read = (query: string) => readPeriod(new URLSearchParams(query), new Date('2026-11-30T23:59:00.000Z'))
  expect(read('month=2025-03')).toEqual({ month: '2025-03' })
  expect(read('day=2025-03-04')).toEqual({ day: '2025-03-04' })
  expect(read('month=2025-13')).toEqual({ month: '2026-11' })
  expect(read('day=soon')).toEqual({ month: '2026-11' })
})

test('totals are computed column by column', () => {
  const rows = [
    { a: 1, b: 5 },
    { a: 2, b: -5 },
  ]
  expect(sumsOf(rows, ['a', 'b'])).toEqual({ a: 3, b: 0 })
  expect(sumsOf([] as typeof rows, ['a'])).toEqual({ a: 0 })
})
