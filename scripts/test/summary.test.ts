import { describe, expect, test } from 'vitest'
import { chooseTests } from './part.ts'
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

  test('the summary of npm test says of a test that its limit has ended that it timed out', () => {
    const messages = ['Test timed out in 30000ms.', 'Test timeout of 90000ms exceeded.']
    const failures = messages.map((message) => ({ name: 'worker > f', message }))
    const { text } = renderSummary([part('unit', { failed: 2, failures })])
    expect(text).toContain('Test timed out after 30 s.')
    expect(text).toContain('Test timed out after 90 s.')
  })

  test('the summary of npm test says what was tried', () => {
    const { text } = renderSummary([part('unit', {})], { histories: 25, worker_kills: 4 })
    expect(text).toContain('tried: 25 histories, 4 worker kills')
  })
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
