import { stripVTControlCharacters } from 'node:util'

export type TestCounts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly skips: readonly { readonly name: string; readonly reason: string | undefined }[]
  /** Each failed test and the start of its message: often the only lines kept of a long log. */
  readonly failures: readonly NamedFailure[]
  /** Tests that passed only when CI ran them again: each is a defect of the test or the product. */
  readonly retried?: readonly NamedFailure[]
}

export type NamedFailure = { readonly name: string; readonly message: string | undefined }

export type PartResult = {
  readonly name: string
  readonly counts: TestCounts
  readonly seconds: number
}

/** What a search has tried, such as `{ histories: 25, kills: 4 }`; tests/support/tried.ts writes it. */
export type Tried = Readonly<Record<string, number>>

/** A table with skips and failures, and a last line for machines. */
export function renderSummary(
  results: readonly PartResult[],
  tried: Tried = {},
): { text: string; failed: number } {
  const total = {
    passed: count(results, 'passed'),
    failed: count(results, 'failed'),
    skipped: count(results, 'skipped'),
  }
  const width = Math.max(...results.map((result) => result.name.length), 'total'.length)
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padStart(11)).join('')}`
  const lines = [
    row('', ['passed', 'failed', 'skipped', 'time']),
    ...results.map(({ name, counts, seconds }) =>
      row(name, [...[counts.passed, counts.failed, counts.skipped].map(String), duration(seconds)]),
    ),
    row('total', [
      ...Object.values(total).map(String),
      duration(results.reduce((total, { seconds }) => total + seconds, 0)),
    ]),
    ...renderTried(tried),
    ...renderSkips(results),
    ...renderFailures(
      'passed only on a second try:',
      results.flatMap(({ counts }) => counts.retried ?? []),
    ),
    ...renderFailures(
      'failed:',
      results.flatMap(({ counts }) => counts.failures),
    ),
    '',
    `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`,
  ]
  return { text: lines.join('\n'), failed: total.failed }
}

function count(results: readonly PartResult[], key: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((total, result) => total + result.counts[key], 0)
}

function renderTried(tried: Tried): string[] {
  const counts = Object.entries(tried).map(([name, number]) => `${number} ${name.replaceAll('_', ' ')}`)
  return counts.length > 0 ? ['', `tried: ${counts.join(', ')}`] : []
}

/** Tests that were skipped for one reason are one line. */
function renderSkips(results: readonly PartResult[]): string[] {
  const skips = results.flatMap((result) => result.counts.skips)
  const groups = Map.groupBy(skips, ({ reason }) => reason ?? 'no reason given')
  const lines = [...groups].map(
    ([reason, group]) =>
      `  - ${reason}: ${group.length === 1 ? group[0]?.name : `${group.length} tests, ${group[0]?.name} …`}`,
  )
  return lines.length > 0 ? ['', 'skipped:', ...lines] : []
}

function renderFailures(title: string, failures: readonly NamedFailure[]): string[] {
  const lines = failures.flatMap(({ name, message }) => [`  - ${name}`, ...indented(message)])
  return lines.length > 0 ? ['', title, ...lines] : []
}

/** A difference of two objects needs some lines to be understood; a page of HTML does not. */
function indented(message: string | undefined): string[] {
  const lines = stripVTControlCharacters(message ?? '')
    .trim()
    // Vitest and Playwright say `Test timed out in 30000ms.` and `Test timeout of 90000ms exceeded.`
    .replace(/(?:timed out in|timeout of) (\d+)ms(?: exceeded)?/, (_, ms) => `timed out after ${ms / 1000} s`)
    .split('\n')
  return lines.slice(0, 25).map((line) => `      ${line.slice(0, 300)}`)
}

function duration(seconds: number): string {
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} m ${Math.round(seconds % 60)} s`
}
