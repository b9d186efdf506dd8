import type { PaidFact, PaidPeriod, PaidSeats } from './paid-facts.ts'

/** One month that credits are granted for, of a monthly period or of a yearly one. */
export interface BillingMonth {
  readonly starts_at: Date
  readonly ends_at: Date
  readonly invoice_id: string
  /** At its start. */
  readonly seats: number
}

/** Longer than any month, shorter than two: a trial or a monthly period is one month, a yearly period is twelve. */
const longestMonthMs = 35 * 24 * 3600 * 1000

/**
 * The billing months that have begun by `until` and were paid for, in order. A period that begins before the one before it was
 * over (the billing frequency changed) replaces the months that had not begun.
 */
export function billingMonths(paid: readonly PaidFact[], until: Date): BillingMonth[] {
  const periods = paid.filter((fact) => fact.kind === 'period').toSorted(byStart)
  const changes = seatChanges(paid)
  return periods.flatMap((period, index) => {
    const next = periods[index + 1]
    return monthsOf(period).filter(
      (month) => month.starts_at <= until && (!next || month.starts_at < next.starts_at),
    )
  })

  function monthsOf(period: PaidPeriod): BillingMonth[] {
    const months: BillingMonth[] = []
    const isOneMonth = period.ends_at.getTime() - period.starts_at.getTime() <= longestMonthMs
    for (let starts_at = period.starts_at, n = 1; starts_at < period.ends_at; n++) {
      const ends_at = isOneMonth ? period.ends_at : earlier(addMonths(period.starts_at, n), period.ends_at)
      months.push({ starts_at, ends_at, invoice_id: period.invoice_id, seats: seatsAt(period, starts_at) })
      starts_at = ends_at
    }
    return months
  }

  /** A yearly plan's later months begin with the seats that the changes until then left. */
  function seatsAt(period: PaidPeriod, moment: Date): number {
    const last = changes.findLast(
      (change) => change.starts_at >= period.starts_at && change.starts_at < moment,
    )
    return last?.seats ?? period.seats
  }
}

/**
 * Credits for seats that were added in the middle of a month: each for the rest of it, together rounded down. A seat that was
 * given up and taken again in one month brings nothing more, because its credits were not taken back either. The result
 * depends on the set of changes alone and only grows with it, so the order in which they become known does not matter.
 */
export function seatCreditsOf(
  month: BillingMonth,
  paid: readonly PaidFact[],
  creditsPerSeat: number,
): number {
  const lengthMs = month.ends_at.getTime() - month.starts_at.getTime()
  let most = month.seats
  let seatMs = 0
  for (const change of seatChanges(paid)) {
    if (change.starts_at < month.starts_at || change.starts_at >= month.ends_at || change.seats <= most)
      continue
    seatMs += (change.seats - most) * (month.ends_at.getTime() - change.starts_at.getTime())
    most = change.seats
  }
  return Math.floor((creditsPerSeat * seatMs) / lengthMs)
}

function seatChanges(paid: readonly PaidFact[]): PaidSeats[] {
  return paid.filter((fact) => fact.kind === 'seats').toSorted(byStart)
}

function byStart(a: PaidFact, b: PaidFact): number {
  return a.starts_at.getTime() - b.starts_at.getTime() || a.invoice_id.localeCompare(b.invoice_id)
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}

/** The same day so many months later, or the last day of a month that is too short; as Stripe's billing cycle anchor does. */
export function addMonths(date: Date, months: number): Date {
  const result = new Date(date)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate()
  result.setUTCDate(Math.min(date.getUTCDate(), lastDay))
  return result
}
