/** How many ids a month has: `ledger_first_id(1)` of the database. */
const idsInMonth = 2 ** 40

/** Where the ids of a month end, exclusive. */
export function endOfMonth(month: string): number {
  return firstIdOf(month) + idsInMonth
}

/** When the month of an id begins. */
export function startOfMonth(id: number): Date {
  return new Date(Date.UTC(2000, id / idsInMonth, 1))
}

/** Where the ids of `2025_01` begin. Months are counted from January 2000. */
export function firstIdOf(month: string): number {
  const [year = 0, ofYear = 0] = month.split('_').map(Number)
  return (12 * (year - 2000) + ofYear - 1) * idsInMonth
}
