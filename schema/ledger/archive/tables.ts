/**
 * The tables that lie in months of transfer ids, in the order in which a month of them is detached: what is
 * read by a transfer's id goes before the transfers. `order` is how their files are sorted, so that the
 * prover can read them side by side.
 */
export const monthlyTables = [
  { name: 'ledger_entries', order: 'transfer_id, account_id' },
  { name: 'ledger_transfers', order: 'id' },
] as const

export type MonthlyTable = (typeof monthlyTables)[number]['name']

/** The partition of a month, which is `2025_01`. */
export function partitionOf(table: MonthlyTable, month: string): string {
  return `${table}_${month}`
}

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
