import { expect, test } from 'vitest'
import { compare, takeTurns } from './turns.ts'

test('the sides of a row measure in turns, each round begun by another, after a first round that does not count', async () => {
  const turns: string[] = []
  const side = (name: string) => async (seconds: number) => {
    turns.push(`${name} ${seconds}`)
    return turns.length
  }
  const figures = await takeTurns({ pairs: 2, seconds: 5 }, { a: side('a'), b: side('b') })
  expect(turns).toEqual(['a 0.6', 'b 0.6', 'a 5', 'b 5', 'b 5', 'a 5'])
  expect(figures).toEqual({ a: [3, 6], b: [4, 5] })
})

test('the ratio is the median of the rounds, so a round in which the machine was slow does not change it', () => {
  const line = { measured: [50, 5, 60], floor: [100, 10, 100], target: { at_least: 0.5 } }
  expect(compare(line)).toEqual({ measured: 50, floor: 100, ratio: 0.5, spread: [0.5, 0.6], reached: true })
})

test('a target may be a ceiling, and a line without a floor has nothing to reach', () => {
  expect(compare({ measured: [30], floor: [10], target: { at_most: 2 } }).reached).toBe(false)
  expect(compare({ measured: [10, 20], floor: null, target: null })).toEqual({
    measured: 15,
    floor: null,
    ratio: null,
    spread: null,
    reached: null,
  })
})
