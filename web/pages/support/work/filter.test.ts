import { afterEach, expect, test, vi } from 'vitest'
import { addSaved, readFilter, readSaved, utcMinute, writeFilter } from './filter.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each(['', 'kind=event&state=stuck&older=60&text=card+declined&order=money', 'text=evt_1'])(
  'a filter is the same after it was written into the address: “%s”',
  (query) => {
    expect(writeFilter(readFilter(new URLSearchParams(query))).toString()).toBe(query)
  },
)

test('a window of time is written as moments, and read in UTC wherever the reader is', () => {
  vi.stubEnv('TZ', 'America/New_York')
  expect(new Date('2026-11-25T14:02:00.000Z').getHours()).toBe(9)
  const filter = readFilter(new URLSearchParams({ from: '2026-11-25T14:02', to: 'yesterday' }))
  expect(filter).toEqual({ from: '2026-11-25T14:02:00.000Z', order: 'age' })
  expect(readFilter(writeFilter(filter))).toEqual(filter)
  expect(utcMinute(filter.from)).toBe('2026-11-25T14:02')
})

test('an unknown filter in a URL is ignored', () => {
  const filter = readFilter(new URLSearchParams('kind=nonsense&state=&older=-5&text=++&order=color&x=1'))
  expect(filter).toEqual({ order: 'age' })
  expect(readFilter(new URLSearchParams({ text: 'x'.repeat(200) })).text).toHaveLength(100)
})

test('saved filters that cannot be read are none, and a name has one filter', () => {
  expect(readSaved(null)).toEqual([])
  expect(readSaved('{')).toEqual([])
  expect(readSaved('{"name":"a"}')).toEqual([])
  expect(readSaved('[{"name":1},null,"x"]')).toEqual([])
  expect(readSaved('[{"name":"a","query":"b=1"}]')).toEqual([{ name: 'a', query: 'b=1' }])
  const saved = addSaved([{ name: 'old', query: 'older=60' }], { name: 'mine', query: 'kind=event' })
  expect(addSaved(saved, { name: 'old', query: 'older=90' })).toEqual([
    { name: 'mine', query: 'kind=event' },
    { name: 'old', query: 'older=90' },
  ])
})
