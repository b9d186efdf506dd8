import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../launch/script.ts'
import type { MachineFacts } from './machine.ts'
import type { Line } from './row.ts'
import { compare } from './turns.ts'

/** A whole run. */
export interface Report {
  readonly at: string
  readonly commit: string
  readonly machine: MachineFacts
  /** Of the last minute, before and after: what else ran on the machine. */
  readonly load_before: number
  readonly load_after: number
  readonly took_s: number
  readonly pairs: number
  readonly seconds: number
  readonly is_full: boolean
  readonly lines: readonly Line[]
}

const headings = ['row', 'what', 'measured', 'floor', 'ratio', 'spread', 'target', 'reached']

/** The table as Markdown, padded so that it is one on a terminal too. */
export function describeTable(lines: readonly Line[]): string {
  const rows = [headings, ...lines.map(cellsOf)]
  const widths = headings.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const print = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const notes = [...new Set(lines.flatMap(({ row, note }) => (note ? [`- ${row}: ${note}`] : [])))]
  const table = [print(headings), rule, ...rows.slice(1).map(print)].join('\n')
  return notes.length > 0 ? `${table}\n\n${notes.join('\n')}` : table
}

function cellsOf(line: Line): string[] {
  const { measured, floor, ratio, spread, reached } = compare(line)
  const { target } = line
  return [
    line.row,
    line.what,
    `${figure(measured)} ${line.unit}`,
    floor === null ? '' : figure(floor),
    ratio === null ? '' : ratio.toFixed(2),
    spread ? `${spread[0].toFixed(2)}–${spread[1].toFixed(2)}` : '',
    target ? ('at_least' in target ? `≥ ${target.at_least}` : `≤ ${target.at_most}`) : '',
    reached === null ? '' : reached ? 'yes' : 'no',
  ]
}

function figure(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)
}

export function describeMachine({ machine, load_before, load_after }: Report): string {
  const { cpu, cores, memory_gib, node, postgres, redis } = machine
  return (
    `${cores} cores (${cpu}), ${memory_gib} GiB, Node ${node}, Postgres ${postgres}, Redis ${redis}; ` +
    `load of the last minute ${load_before.toFixed(1)} before and ${load_after.toFixed(1)} after the run`
  )
}

const beginning = '<!-- bench: written by npm run bench -- --write-docs -->'
const end = '<!-- bench: end -->'

/** Replaces the run that docs/performance.md shows. */
export async function writeDocument(report: Report): Promise<string> {
  const path = join(repositoryRoot, 'docs/performance.md')
  await writeFile(path, replaceRun(await readFile(path, 'utf8'), report))
  return path
}

/** The text with this run instead of the one that it has. */
export function replaceRun(text: string, report: Report): string {
  const [before, rest] = text.split(beginning, 2)
  const [, after] = rest?.split(end, 2) ?? []
  if (before === undefined || after === undefined) throw new Error('The document has no place for the run')
  const { at, commit, pairs, seconds, took_s } = report
  const run = `${at.slice(0, 10)}, commit ${commit}, ${pairs} pairs of ${seconds} s, ${took_s} s in all. ${describeMachine(report)}.`
  const written = [beginning, run, describeTable(report.lines), end].join('\n\n')
  return `${before}${written}${after}`
}

/** Writes the run under reports/ and returns where. */
export async function writeReport(report: Report): Promise<string> {
  const folder = join(repositoryRoot, 'reports/bench')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${report.at.replaceAll(':', '-')}.json`)
  const lines = report.lines.map((line) => ({ ...line, result: compare(line) }))
  await writeFile(path, `${JSON.stringify({ ...report, lines }, null, 2)}\n`)
  return path
}

export async function readCommit(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: repositoryRoot,
    })
    return stdout.trim()
  } catch {
    return 'unknown'
  }
}
