import { appendFileSync } from 'node:fs'

/**
 * Counts what a search has tried, such as `{ histories: 25, kills: 3 }`: a line of JSON in the file that
 * TEST_TRIED_FILE names. The run adds them up and prints the sums at its end.
 */
export function tried(counts: Readonly<Record<string, number>>): void {
  const { TEST_TRIED_FILE } = process.env
  if (TEST_TRIED_FILE) appendFileSync(TEST_TRIED_FILE, `${JSON.stringify(counts)}\n`)
}
