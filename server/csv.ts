type Cell = string | number | null

/**
 * A line as RFC 4180 has it. A text that a spreadsheet would run as a formula gets an apostrophe in front
 * (https://owasp.org/www-community/attacks/CSV_Injection); numbers stay numbers, also below zero, which is
 * why no library's escaping is used: it does not tell the two apart.
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
