import { describe, expect, test } from 'vitest'
import { chooseTests } from './part.ts'
import { type PartResult, renderSummary } from './summary.ts'

const part = (name: string, counts: Partial<PartResult['counts']>): PartResult => ({
  name,
  seconds: 1.24,
  counts: { passed: 0, failed: 0, skipped: 0, skips: [], failures: [], ...counts },
})

test('the summary of npm test names skips by their reason, failures and what passed on a second try, and ends in one line with the counts of all parts', () => {
  const skips = ['a', 'b'].map((name) => ({ name, reason: 'no redis-server is installed' }))
  const failures = [
    { name: 'worker > d', message: '\u001b[31mexpected 1 to be 2\u001b[39m' },
    { name: 'worker > f', message: 'Test timed out in 30000ms.' },
    { name: 'web > f', message: 'Test timeout of 90000ms exceeded.' },
  ]
  const retried = [{ name: 'worker > e', message: 'expected 503 to be 200' }]
  const { text, failed } = renderSummary([
    part('unit', { passed: 7, skipped: 3, skips: [...skips, { name: 'worker > c', reason: undefined }] }),
    part('browser', { passed: 2, failed: 3, failures, retried }),
  ])
  for (const lines of [
    'no redis-server is installed: 2 tests, a …',
    'no reason given: worker > c',
    '  - worker > d\n      expected 1 to be 2\n',
    'passed only on a second try:\n  - worker > e\n      expected 503 to be 200\n',
    'Test timed out after 30 s.',
    'Test timed out after 90 s.',
  ])
    expect(text).toContain(lines)
  expect(text.split('\n').at(-1)).toBe('9 passed, 3 failed, 3 skipped')
  expect(failed).toBe(3)
})

describe('the arguments of npm test', () => {
  const namesOf = (words: readonly string[]) => chooseTests(words).parts.map(({ name }) => name)

  test('the arguments of npm test choose parts, and the rest goes to the runner', () => {
    const words = ['unit', 'worker/jobs', '--seed', '7', '-t', 'grants']
    expect(namesOf(words)).toEqual(['unit'])
    expect(chooseTests(words)).toMatchObject({
      isLong: false,
      seed: '7',
      rest: ['worker/jobs', '-t', 'grants'],
    })
  })

  test('the arguments of npm test run every part when they name none, and the long ones only in the long run', () => {
    const usual = ['static', 'unit', 'simulation', 'e2e']
    expect(namesOf([])).toEqual(usual)
    expect(namesOf(['--long'])).toEqual([...usual, 'chaos', 'growth', 'operator', 'restore'])
    expect(namesOf(['--long', 'chaos'])).toEqual(['chaos'])
  })
})
