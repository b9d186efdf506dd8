import { describe, expect, test } from 'vitest'
import { chooseParts } from './part.ts'
import { type PartResult, renderSummary } from './summary.ts'

const part = (name: string, counts: Partial<PartResult['counts']>): PartResult => ({
  name,
  seconds: 1.24,
  counts: { passed: 0, failed: 0, skipped: 0, skips: [], failures: [], ...counts },
})

describe('the summary of npm test', () => {
  test('the summary of npm test ends in one line with the counts of all parts', () => {
    const { text, failed } = renderSummary([
      part('unit', { passed: 7 }),
      part('browser', { passed: 2, failed: 1 }),
    ])
    expect(text.split('\n').at(-1)).toBe('9 passed, 1 failed, 0 skipped')
    expect(failed).toBe(1)
  })

  test('the summary of npm test names the reason of every skip, once', () => {
    const skips = ['a', 'b'].map((name) => ({ name, reason: 'no redis-server is installed' }))
    const { text } = renderSummary([part('unit', { skipped: 2, skips })])
    expect(text).toContain('no redis-server is installed: 2 tests, a …')
    expect(text.split('\n').at(-1)).toBe('0 passed, 0 failed, 2 skipped')
  })

  test('the summary of npm test ends with the name and the message of each failure, so that the end of a log is enough', () => {
    const failures = [{ name: 'worker > d', message: '\u001b[31mexpected 1 to be 2\u001b[39m' }]
    const { text } = renderSummary([part('unit', { failed: 1, failures })])
    expect(text).toContain('  - worker > d\n      expected 1 to be 2\n')
  })

  test('the summary of npm test names what passed only on a second try, which counts as passed', () => {
    const retried = [{ name: 'worker > e', message: 'expected 503 to be 200' }]
    const { text, failed } = renderSummary([part('unit', { passed: 1, retried })])
    expect(text).toContain('passed only on a second try:\n  - worker > e\n      expected 503 to be 200\n')
    expect(failed).toBe(0)
  })

  test('the summary of npm test shows a skip that gives no reason', () => {
    const { text } = renderSummary([
      part('unit', { skipped: 1, skips: [{ name: 'worker > c', reason: undefined }] }),
    ])
    expect(text).toContain('no reason given: worker > c')
  })
})

describe('the arguments of npm test', () => {
  test('choose parts, and the rest goes to the runner', () => {
    const { parts, rest } = chooseParts(['unit', 'worker/jobs', '-t', 'grants'])
    expect(parts.map(({ name }) => name)).toEqual(['unit'])
    expect(rest).toEqual(['worker/jobs', '-t', 'grants'])
  })

  test('the arguments of npm test run everything when they name no part', () => {
    expect(chooseParts([]).parts.map(({ name }) => name)).toEqual(['static', 'unit', 'simulation', 'e2e'])
  })
})
