import { expect, it } from 'vitest'
import { nextBoundary, type Recurrence, shareAfter } from './period.ts'

const seconds = (text: string) => Date.parse(`${text}Z`) / 1000
const monthly: Recurrence = { interval: 'month', interval_count: 1 }

function boundaries(anchor: string, recurrence: Recurrence, count: number): string[] {
  const dates: string[] = []
  let at = seconds(anchor)
  for (let index = 0; index < count; index++) {
    at = nextBoundary(seconds(anchor), recurrence, at)
    dates.push(new Date(at * 1000).toISOString().slice(0, 19))
  }
  return dates
}

it.each([
  [
    'a month from the 31st',
    '2027-01-31T10:20:30',
    monthly,
    ['2027-02-28T10:20:30', '2027-03-31T10:20:30', '2027-04-30T10:20:30', '2027-05-31T10:20:30'],
  ],
  ['a month in a leap year', '2028-01-30T00:00:00', monthly, ['2028-02-29T00:00:00', '2028-03-30T00:00:00']],
  [
    'a quarter',
    '2026-11-30T12:00:00',
    { interval: 'month', interval_count: 3 },
    ['2027-02-28T12:00:00', '2027-05-30T12:00:00'],
  ],
  [
    'a year from the 29th of February',
    '2028-02-29T12:00:00',
    { interval: 'year', interval_count: 1 },
    ['2029-02-28T12:00:00', '2030-02-28T12:00:00', '2031-02-28T12:00:00', '2032-02-29T12:00:00'],
  ],
  ['two weeks', '2026-12-25T00:00:00', { interval: 'week', interval_count: 2 }, ['2027-01-08T00:00:00']],
] as const)('%s', (_case, anchor, recurrence, expected) => {
  expect(boundaries(anchor, recurrence, expected.length)).toEqual(expected)
})

it('a boundary itself belongs to the period that begins there', () => {
  const anchor = seconds('2026-01-15T00:00:00')
  expect(nextBoundary(anchor, monthly, anchor)).toBe(seconds('2026-02-15T00:00:00'))
  expect(nextBoundary(anchor, monthly, anchor - 1)).toBe(anchor)
  expect(nextBoundary(anchor, monthly, seconds('2036-07-15T00:00:01'))).toBe(seconds('2036-08-15T00:00:00'))
})

it.each([
  ['all of it at the start', 0, 3000],
  ['half of it in the middle', 500, 1500],
  ['rounded to a whole cent', 333, 2001],
  ['nothing at the end', 1000, 0],
  ['nothing after the end', 1200, 0],
  ['no more than all before the start', -50, 3000],
])('the share of a period that is left is %s', (_case, at, expected) => {
  expect(shareAfter(3000, { start: 0, end: 1000, at })).toBe(expected)
})
