const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** "15 Jan 2026", in UTC as everything here. */
export function formatDay(seconds: number): string {
  return format.format(seconds * 1000)
}
