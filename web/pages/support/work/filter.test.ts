import { afterEach, expect, test, vi } from 'vitest'
import { readFilter } from './filter.ts'

afterEach(() => void vi.unstubAllEnvs())

test('a window of time is read in UTC wherever the reader is', () => {
  vi.stubEnv('TZ', 'America/New_York')
  expect(new Date('2026-11-25T14:02:00.000Z').getHours()).toBe(9)
  const filter = readFilter(new URLSearchParams({ from: '2026-11-25T14:02', to: 'yesterday' }))
  expect(filter).toEqual({ from: '2026-11-25T14:02:00.000Z' })
})

test('an unknown filter in a URL is ignored', () => {
  expect(readFilter(new URLSearchParams('kind=nonsense&state=&text=++&x=1'))).toEqual({})
  expect(readFilter(new URLSearchParams({ text: 'x'.repeat(200) })).text).toHaveLength(100)
})
