type Cell = string | number | null

/**
 * A line by RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe
 * (https://owasp.org/www-community/attacks/CSV_Injection). Negative numbers stay numbers, which escaping
 * libraries do not support.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
