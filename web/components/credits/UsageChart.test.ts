import { expect, test } from 'vitest'
import { ticksOf } from './UsageChart.tsx'

test.each([
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [3, [0, 2, 4]],
  [21, [0, 15, 30]],
  [371, [0, 200, 400]],
  [2000, [0, 1000, 2000]],
  [71_428, [0, 40_000, 80_000]],
])('the axis of a day with %d credits has whole numbers that are round and near: %j', (most, ticks) => {
  expect(ticksOf(most)).toEqual(ticks)
})

test('the axis has room for every day, whatever was used', () => {
  for (let most = 1; most < 3_000_000; most = Math.ceil(most * 1.07)) {
    const ticks = ticksOf(most)
    expect(ticks.every(Number.isInteger), String(most)).toBe(true)
    expect(ticks.at(-1), String(most)).toBeGreaterThanOrEqual(most)
    expect(ticks.at(-1), String(most)).toBeLessThanOrEqual(most * 2)
  }
})
