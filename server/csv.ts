type Cell = string | number | null

/**
 * A line by RFC 4180, with every field in quotes. Where text would begin a formula, also after what separates cells
 * elsewhere, it gets an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection). Negative numbers stay
 * numbers, which escaping libraries do not support.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => `"${typeof cell === 'string' ? textOf(cell) : (cell ?? '')}"`).join(',')}\r\n`
}

function textOf(text: string): string {
  return text
    .replace(/(^|[;,|\t\r\n])(?=[ \u00a0"]*[=+\-@＝＋－＠])/g, "$1'")
    .replace(/^[\t\r\n]/, "'$&")
    .replaceAll('"', '""')
}
