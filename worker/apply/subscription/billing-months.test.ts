import { describe, expect, test } from 'vitest'
import { addMonths, billingMonths, seatCreditsOf } from './billing-months.ts'
import type { PaidPeriod, PaidSeats } from './paid-facts.ts'

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const invoice = { amount_paid_minor: 2000, paid_at: day('2026-01-01') }

function period(invoice_id: string, starts: string, ends: string, seats = 1): PaidPeriod {
  return { ...invoice, kind: 'period', invoice_id, starts_at: day(starts), ends_at: day(ends), seats }
}
function seats(invoice_id: string, at: string, before: number, after: number): PaidSeats {
  return {
    ...invoice,
    kind: 'seats',
    invoice_id,
    starts_at: day(at),
    ends_at: day('2026-02-01'),
    seats_before: before,
    seats: after,
  }
}
const starts = (months: { starts_at: Date }[]) =>
  months.map((month) => month.starts_at.toISOString().slice(0, 10))

describe('billing months', () => {
  test('a monthly period is one month, and one that has not begun is none', () => {
    const paid = [period('in_1', '2026-01-31', '2026-02-28'), period('in_2', '2026-02-28', '2026-03-31')]
    expect(starts(billingMonths(paid, day('2026-02-27')))).toEqual(['2026-01-31'])
    expect(starts(billingMonths(paid, day('2026-02-28')))).toEqual(['2026-01-31', '2026-02-28'])
  })

  test('a yearly period is twelve months from its own day, the last day where that is missing', () => {
    const months = billingMonths([period('in_1', '2026-01-31', '2027-01-31')], day('2027-06-01'))
    expect(starts(months).slice(0, 4)).toEqual(['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'])
    expect(months).toHaveLength(12)
    expect(months.at(-1)?.ends_at).toEqual(day('2027-01-31'))
  })

  test('a trial is a month of its own length', () => {
    const [month] = billingMonths([period('in_1', '2026-01-01', '2026-01-15')], day('2026-01-02'))
    expect(month).toMatchObject({ starts_at: day('2026-01-01'), ends_at: day('2026-01-15') })
  })

  test('a new period replaces the months that had not begun', () => {
    const paid = [period('in_1', '2026-01-01', '2027-01-01'), period('in_2', '2026-02-10', '2026-03-10')]
    expect(starts(billingMonths(paid, day('2026-03-09')))).toEqual(['2026-01-01', '2026-02-01', '2026-02-10'])
  })

  test('the order in which invoices are known makes no difference', () => {
    const paid = [period('in_1', '2026-01-01', '2026-02-01'), period('in_2', '2026-02-01', '2026-03-01')]
    expect(billingMonths(paid.toReversed(), day('2026-02-15'))).toEqual(
      billingMonths(paid, day('2026-02-15')),
    )
  })

  test('adding months keeps the day of the anchor', () => {
    expect(addMonths(day('2026-01-31'), 1)).toEqual(day('2026-02-28'))
    expect(addMonths(day('2026-01-31'), 2)).toEqual(day('2026-03-31'))
    expect(addMonths(day('2026-12-15'), 1)).toEqual(day('2027-01-15'))
  })
})

describe('credits of seats that are added in a month', () => {
  const january = { starts_at: day('2026-01-01'), ends_at: day('2026-02-01'), invoice_id: 'in_1', seats: 5 }

  test('bring credits for the rest of the month, rounded down', () => {
    // 3 seats × 500 credits × 10 of 31 days.
    expect(seatCreditsOf(january, [seats('in_2', '2026-01-22', 5, 8)], 500)).toBe(
      Math.floor((1500 * 10) / 31),
    )
  })

  test('bring a whole month’s in the second in which it begins', () => {
    expect(seatCreditsOf(january, [seats('in_2', '2026-01-01', 5, 8)], 500)).toBe(1500)
    const year = period('in_1', '2026-01-01', '2027-01-01', 5)
    const [first, second] = billingMonths([year, seats('in_2', '2026-01-01', 5, 8)], day('2026-02-02'))
    expect([first?.seats, second?.seats]).toEqual([5, 8])
  })

  test('bring nothing when they are given up', () => {
    expect(seatCreditsOf(january, [seats('in_2', '2026-01-22', 5, 2)], 500)).toBe(0)
  })

  test('bring nothing more when they were given up and taken again', () => {
    const changes = [seats('in_2', '2026-01-02', 5, 1), seats('in_3', '2026-01-03', 1, 5)]
    expect(seatCreditsOf(january, changes, 500)).toBe(0)
    const grown = [
      seats('in_2', '2026-01-11', 5, 6),
      seats('in_3', '2026-01-12', 6, 5),
      seats('in_4', '2026-01-13', 5, 6),
    ]
    expect(seatCreditsOf(january, grown, 500)).toBe(Math.floor((500 * 21) / 31))
  })

  test('never shrink when another change becomes known', () => {
    const all = [
      seats('in_2', '2026-01-11', 5, 10),
      seats('in_3', '2026-01-15', 10, 5),
      seats('in_4', '2026-01-20', 5, 10),
    ]
    for (const known of [[all[2]], [all[2], all[1]], [all[2], all[0]], all]) {
      const facts = known.flatMap((fact) => fact ?? [])
      expect(seatCreditsOf(january, facts, 500)).toBeLessThanOrEqual(seatCreditsOf(january, all, 500))
    }
  })
})
