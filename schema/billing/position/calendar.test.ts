import { expect, test } from 'vitest'
import { day } from '../../../tests/support/facts.ts'
import { addMonths, splitIntoMonths } from './calendar.ts'

const starts = (from: string, to: string) =>
  splitIntoMonths({ starts_at: day(from), ends_at: day(to) }).map(({ starts_at }) =>
    starts_at.toISOString().slice(0, 10),
  )

test('adding months keeps the day of the anchor', () => {
  expect(addMonths(day('2026-01-31'), 1)).toEqual(day('2026-02-28'))
  expect(addMonths(day('2026-01-31'), 2)).toEqual(day('2026-03-31'))
  expect(addMonths(day('2028-01-31'), 1)).toEqual(day('2028-02-29'))
  expect(addMonths(day('2026-12-15'), 1)).toEqual(day('2027-01-15'))
})

test('a year is twelve months from its own day, the last day where that is missing, and each ends where the next begins', () => {
  const months = splitIntoMonths({ starts_at: day('2026-01-31'), ends_at: day('2027-01-31') })
  expect(starts('2026-01-31', '2027-01-31').slice(0, 4)).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
  ])
  expect(months).toHaveLength(12)
  expect(months.at(-1)?.ends_at).toEqual(day('2027-01-31'))
  for (const [index, month] of months.entries()) {
    if (index > 0) expect(month.starts_at).toEqual(months[index - 1]?.ends_at)
  }
})

test.each([
  ['2028-02-29', '2029-02-28', ['2028-02-29', '2028-03-29', '2029-01-29']],
  ['2029-02-28', '2030-02-28', ['2029-02-28', '2029-03-28', '2030-01-28']],
  // The day of the anchor is there again, as in each leap year.
  ['2031-02-28', '2032-02-29', ['2031-02-28', '2031-03-29', '2032-01-29']],
  ['2027-12-31', '2028-12-31', ['2027-12-31', '2028-01-31', '2028-11-30']],
  ['2027-02-28', '2028-02-28', ['2027-02-28', '2027-03-28', '2028-01-28']],
])(
  'a year from %s to %s is twelve months, each ending where the next begins',
  (from, to, [first, second, last]) => {
    const months = splitIntoMonths({ starts_at: day(from), ends_at: day(to) })
    expect(months).toHaveLength(12)
    expect([months[0], months[1], months[11]].map((month) => month?.starts_at)).toEqual(
      [first, second, last].map((date) => day(date ?? '')),
    )
    expect(months.map(({ ends_at }) => ends_at)).toEqual([
      ...months.slice(1).map(({ starts_at }) => starts_at),
      day(to),
    ])
  },
)

test('a period of about a month is one, however many days it has', () => {
  expect(starts('2026-02-01', '2026-03-01')).toHaveLength(1)
  expect(starts('2026-01-01', '2026-02-01')).toHaveLength(1)
  expect(starts('2026-01-01', '2026-01-15')).toHaveLength(1)
  expect(starts('2026-01-01', '2026-03-01')).toHaveLength(2)
})
