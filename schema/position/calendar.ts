export interface Span {
  readonly starts_at: Date
  readonly ends_at: Date
}

/** Longer than any month, shorter than two. */
const longestMonthMs = 35 * 24 * 3600 * 1000

/** Calendar months from the period's own day; a period of about a month is one. */
export function splitIntoMonths({ starts_at, ends_at }: Span): Span[] {
  if (ends_at.getTime() - starts_at.getTime() <= longestMonthMs) return [{ starts_at, ends_at }]
  const months: Span[] = []
  for (let start = starts_at, n = 1; start < ends_at; n++) {
    const end = earlier(addMonths(starts_at, n), ends_at)
    months.push({ starts_at: start, ends_at: end })
    start = end
  }
  return months
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

export function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}
