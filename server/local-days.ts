const day_ms = 86_400_000
const minute_ms = 60_000

/** The calendar of a time zone, in which a day may have 23 or 25 hours. */
export interface LocalCalendar {
  /** The date of a moment there, `YYYY-MM-DD`. */
  dateOf(moment: Date): string
  /** The first moment of a date there, to the minute. */
  startOf(date: string): Date
}

export function openCalendar(timeZone: string): LocalCalendar {
  // The Canadian form is the ISO one.
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dateOf = (moment: Date) => format.format(moment)
  return {
    dateOf,
    startOf(date) {
      // No zone is further from UTC than 14 hours. Bisection needs no daylight-saving rules.
      const noon = Date.parse(`${date}T12:00:00Z`)
      let before = Math.floor((noon - 1.5 * day_ms) / minute_ms)
      let after = Math.ceil((noon + day_ms) / minute_ms)
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2)
        if (dateOf(new Date(middle * minute_ms)) >= date) after = middle
        else before = middle
      }
      return new Date(after * minute_ms)
    },
  }
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * day_ms).toISOString().slice(0, 10)
}

/** The first day of the date's month, or of one some months later or earlier. */
export function monthOf(date: string, months = 0): string {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}
