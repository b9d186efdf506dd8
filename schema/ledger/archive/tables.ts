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
