import { expect, test } from 'vitest'
import { addDays, monthOf, openCalendar } from './local-days.ts'

test.each([
  ['UTC', '2026-11-22', '2026-11-22T00:00:00.000Z'],
  ['Europe/Berlin', '2026-11-22', '2026-11-21T23:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-22', '2026-11-21T10:00:00.000Z'],
  ['Etc/GMT+12', '2026-11-22', '2026-11-22T12:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-22', '2026-11-21T18:15:00.000Z'],
  // The days before and after clocks change.
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
  // A day that began at one o'clock.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
])('the day in %s %s begins at %s', (zone, date, expected) => {
  const calendar = openCalendar(zone)
  const start = calendar.startOf(date)
  expect(start.toISOString()).toBe(expected)
  expect(calendar.dateOf(start)).toBe(date)
  expect(calendar.dateOf(new Date(start.getTime() - 60_000))).toBe(addDays(date, -1))
})

test('dates are counted over the ends of months and years', () => {
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addDays('2025-12-31', 1)).toBe('2026-01-01')
  expect(monthOf('2026-01-31')).toBe('2026-01-01')
  expect(monthOf('2026-01-31', -1)).toBe('2025-12-01')
})
