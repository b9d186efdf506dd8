import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'
import { describeTable, type Report, replaceRun } from './report.ts'
import type { Line } from './row.ts'

const line: Line = {
  row: 'accept',
  what: 'webhooks',
  unit: 'requests/s',
  measured: [1200, 1300, 1250],
  floor: [2000, 2000, 2500],
  target: { at_least: 0.8 },
}

const report: Report = {
  at: '2026-11-22T12:00:00.000Z',
  commit: 'abc1234',
  machine: { cpu: 'Any', cores: 2, memory_gib: 24, node: '24.0.0', postgres: '18.4', redis: '8.0' },
  load_before: 0.1,
  load_after: 2,
  took_s: 300,
  pairs: 3,
  seconds: 1.5,
  is_full: false,
  lines: [line],
}

test('the table says what was measured, the floor, the ratio with its spread, and whether the target is reached', () => {
  const [, , row] = describeTable([line]).split('\n')
  const cells = row?.split('|').map((cell) => cell.trim())
  expect(cells).toEqual([
    '',
    'accept',
    'webhooks',
    '1,250 requests/s',
    '2,000',
    '0.60',
    '0.50–0.65',
    '≥ 0.8',
    'no',
    '',
  ])
})

test('a line that could not be measured says why, once for each row', () => {
  const missing: Line = { ...line, measured: [], floor: null, target: null, note: 'there is none here' }
  const table = describeTable([missing, missing])
  expect(table.match(/there is none here/g)).toHaveLength(1)
  expect(table).toContain('– requests/s')
})

test('docs/performance.md has a place for a run, which replaces the one before', async () => {
  const text = await readFile(join(repositoryRoot, 'docs/performance.md'), 'utf8')
  const first = replaceRun(text, report)
  expect(first).toContain('commit abc1234')
  const second = replaceRun(first, { ...report, commit: 'def5678' })
  expect(second).not.toContain('abc1234')
  expect(second.length).toBe(first.length)
})
