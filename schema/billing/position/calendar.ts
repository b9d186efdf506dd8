export interface Span {
  readonly starts_at: Date
  readonly ends_at: Date
}

/** Longer than any month, shorter than two. */
const longestMonthMs = 35 * 24 * 3600 * 1000

/** Calendar months from the period's own day; a period of about a month is one. */
export function splitIntoMonths({ starts_at, ends_at }: Span): Span[] {
  if (ends_at.getTime() - starts_at.getTime() <= longestMonthMs) return [{ starts_at, ends_at }]
  const day = anchorDay({ starts_at, ends_at })
  const months: Span[] = []
  for (let start = starts_at, n = 1; start < ends_at; n++) {
    const end = earlier(addMonths(starts_at, n, day), ends_at)
    months.push({ starts_at: start, ends_at: end })
    start = end
  }
  return months
}

/**
 * The day of the month on which a period's months begin. One that begins on the last day of a short month and
 * ends on a later day has that one: a yearly plan of 29 February renews from 28 February 2031 to 29 February
 * 2032, which is no thirteenth month of a day.
 */
function anchorDay({ starts_at, ends_at }: Span): number {
  const startsOnLastDay = starts_at.getUTCDate() === lastDayOf(starts_at)
  return startsOnLastDay ? Math.max(starts_at.getUTCDate(), ends_at.getUTCDate()) : starts_at.getUTCDate()
}

/**
 * The same day `months` later, or the last day of a shorter month, as Stripe's billing cycle anchor: 31
 * January, 28 February, 31 March (https://docs.stripe.com/billing/subscriptions/billing-cycle).
 */
export function addMonths(date: Date, months: number, day = date.getUTCDate()): Date {
  const result = new Date(date)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  result.setUTCDate(Math.min(day, lastDayOf(result)))
  return result
}

function lastDayOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
}

export function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}
